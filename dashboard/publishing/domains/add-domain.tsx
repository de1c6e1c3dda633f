// Adds a domain. The server parses the name while it is typed.
import { Alert, Group, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Answer } from '../../../client/management-client.ts'
import { CloseDialog } from '../../components/actions.tsx'
import { Form, problemsOf, TextField, useForm } from '../../components/form.tsx'
import { OneOf } from '../../components/inputs.tsx'
import { Note, PageLink } from '../../components/values.tsx'
import { announce } from '../../platform/announcements.ts'
import { call, explain } from '../../platform/api.ts'
import { useChange, useSlug } from '../../platform/requests.ts'
import { withRedirect } from './configuration.tsx'
import {
  type Domains,
  domainsQueries,
  useConfiguration,
  useConfigure,
  useDomains,
} from './domain-queries.ts'

type Hostname = Answer<'POST /hostnames'>

/** What is added of example.com and www.example.com: `pair` is the one that was not typed. */
type Pairing = 'pair_redirects' | 'redirects_to_pair' | 'alone'

/** `onAdded` opens the domain that was added. */
export function AddDomain({ onAdded }: { onAdded: (host: string) => void }) {
  const { missing = [] } = useDomains().data ?? {}
  return missing.length > 0 ? <Missing missing={missing} /> : <AddForm onAdded={onAdded} />
}

/** Each unmet precondition, and how to meet it. */
function Missing({ missing }: Pick<Domains, 'missing'>) {
  const slug = useSlug()
  return (
    <Stack>
      {missing.map(({ code, message }) => (
        <Alert key={code} color="yellow" title={titles[code]}>
          <Text size="sm">{message}</Text>
          {code === 'deploy_required' && (
            <PageLink to={`/projects/${slug}`}>Deploy the project</PageLink>
          )}
        </Alert>
      ))}
      <Group justify="flex-end">
        <CloseDialog>Close</CloseDialog>
      </Group>
    </Stack>
  )
}

const titles: Record<Domains['missing'][number]['code'], string> = {
  plan_required: 'Upgrade required',
  deploy_required: 'Deploy required',
}

function AddForm({ onAdded }: Parameters<typeof AddDomain>[0]) {
  const [chosen, setChosen] = useState<Pairing>()
  const [isDirect, setDirect] = useState(false)
  const client = useQueryClient()
  const { items: current = [] } = useDomains().data ?? {}
  // Those of before, so that the choices stay while the domains are added.
  const [items] = useState(current)
  const configuration = useConfiguration()
  const put = useConfigure()
  const add = useChange('POST /projects/{slug}/domains', [domainsQueries(useSlug())])
  const { field, form, values } = useForm({
    initial: { host: '' },
    checks: {
      host: (text) =>
        text.trim() === '' ? 'Enter a domain, such as docs.example.com.' : undefined,
    },
    async send({ host: text }) {
      // A fast user has not seen the result of the look-up. A refused name is refused when it is added.
      const look = isChosen ? undefined : client.fetchQuery(siteQuery(name?.host ?? text))
      const { hasOtherSite = false } = (await look?.catch(() => undefined)) ?? {}
      if (hasOtherSite !== false) {
        announce(`${siteSentence(text.trim(), hasOtherSite)} Choose how to move it.`)
        return false
      }
      const { host } = await add.mutateAsync({ body: { host: text, prepare: isPrepared } })
      if (pair !== null && pairing !== 'alone') {
        await addPair(host, pair).catch((error: unknown) => {
          announce(`${pair} was not added: ${problemOf(error)}`, { isFailure: true })
        })
      }
      onAdded(host)
      return ''
    },
    done: (text) => text,
  })
  const typed = values.host.trim()
  const [settled] = useDebouncedValue(typed, 250)
  const parsed = useQuery({
    queryKey: ['hostnames', settled],
    queryFn: ({ signal }) => call('POST /hostnames', { body: { host: settled }, signal }),
    enabled: settled !== '',
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const name = settled === typed && typed !== '' ? parsed.data : undefined
  // A name without a dot is still being typed.
  const isRefused = settled === typed && settled.includes('.') && parsed.error !== null
  const { error, ...host } = field(
    'host',
    'Domain or subdomain',
    'You need access to its DNS settings at your registrar or DNS provider.',
  )
  const live = useLiveSite(name?.host)
  const isChosen = live === true || live === null
  const isPrepared = isChosen && !isDirect
  const pair = items.some((each) => each.host === name?.pair) ? null : (name?.pair ?? null)
  const pairing = chosen ?? (name?.isApex ? 'pair_redirects' : 'alone')

  async function addPair(host: string, other: string): Promise<void> {
    await add.mutateAsync({ body: { host: other } })
    const [from, to] = pairing === 'pair_redirects' ? [other, host] : [host, other]
    const { data: current } = await configuration.refetch()
    if (current) await put(withRedirect(current, { from, to, status: 301 }))
  }

  return (
    <Form verb="Add domain" {...form}>
      <TextField
        {...host}
        placeholder="docs.example.com"
        error={error ?? (isRefused ? problemOf(parsed.error) : undefined)}
        autoCapitalize="none"
        spellCheck={false}
        inputMode="url"
      />
      <div aria-live="polite">{name && <ParsedName name={name} typed={typed} />}</div>
      {name && isChosen && (
        <OneOf
          label={siteSentence(name.unicodeHost, live)}
          titles={{ prepared: 'Move it without downtime', direct: 'Point it here now' }}
          descriptions={{
            prepared:
              'The certificate is prepared while the old site keeps serving. You change its DNS record last.',
            direct:
              'Visitors see errors until the certificate is issued, usually for a few minutes.',
          }}
          value={isDirect ? 'direct' : 'prepared'}
          onChange={(value) => setDirect(value === 'direct')}
        />
      )}
      {name && pair !== null && (
        <OneOf
          label="Visitors type both. What should they see?"
          titles={{
            pair_redirects: `${name.unicodeHost}, and ${pair} redirects to it`,
            redirects_to_pair: `${pair}, and ${name.unicodeHost} redirects to it`,
            alone: `Add only ${name.unicodeHost}`,
          }}
          value={pairing}
          onChange={setChosen}
        />
      )}
    </Form>
  )
}

const siteQuery = (host: string) =>
  queryOptions({
    queryKey: ['domain-checks', host],
    queryFn: () => call('POST /domain-checks', { body: { host } }),
    retry: false,
    staleTime: 60_000,
  })

const siteSentence = (host: string, hasOtherSite: boolean | null): string =>
  hasOtherSite === null
    ? `${host} could not be checked in time: it may have a site now.`
    : `${host} points to another site now.`

/** Whether another server responds to the name: null if that was not found out, undefined before the result. */
function useLiveSite(host: string | undefined): boolean | null | undefined {
  const [settled] = useDebouncedValue(host, 600)
  const check = useQuery({
    ...siteQuery(settled ?? ''),
    enabled: settled !== undefined && settled === host,
  })
  return settled === host ? check.data?.hasOtherSite : undefined
}

function ParsedName({ name, typed }: { name: Hostname; typed: string }) {
  const { host, isApex, label, registrableDomain, unicodeHost } = name
  const isAsTyped = host === typed.toLowerCase()
  return (
    <Stack gap={4}>
      {!isAsTyped && (
        <Text size="sm">
          Read as <strong>{unicodeHost}</strong>
          {unicodeHost !== host && <> ({host} in DNS)</>}.
        </Text>
      )}
      <Note>
        {isApex
          ? 'Apex domain: requires an ALIAS or ANAME record, which not every DNS provider supports.'
          : `Subdomain ${label} of ${registrableDomain}: requires one CNAME record.`}
      </Note>
    </Stack>
  )
}

const problemOf = (error: unknown): string =>
  problemsOf(error, ['host']).at('host') ?? explain(error)
