// Add domain: what is typed is understood while it is typed, as the server will; apex and subdomain are told
// apart; what has been typed stays when something goes wrong.
import {
  Alert,
  Anchor,
  Button,
  Checkbox,
  Group,
  Modal,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link } from 'react-router'
import type { Domains, Hostname } from '../../../server/publishing/domains/api/schema.ts'
import { useAnnounce } from '../../components/announcements.tsx'
import { ask, explain, Refusal } from '../../platform/api.ts'
import { useAddDomain } from './domain-queries.ts'

export interface AddDomainProps {
  slug: string
  missing: Domains['missing']
  opened: boolean
  close: () => void
  /** Shows the domain that was added. */
  onAdded: (host: string) => void
}

export function AddDomain(props: AddDomainProps) {
  const { close, missing, opened } = props
  return (
    <Modal
      opened={opened}
      onClose={close}
      title="Add domain"
      size="lg"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {missing.length > 0 ? <Missing {...props} /> : <Form {...props} />}
    </Modal>
  )
}

/** Each precondition with its own sentence and its own way on. */
function Missing({ close, missing, slug }: AddDomainProps) {
  return (
    <Stack>
      {missing.map(({ code, message }) => (
        <Alert key={code} color="yellow" title={titles[code]}>
          <Text size="sm">{message}</Text>
          {code === 'deploy_required' && (
            <Anchor component={Link} to={`/projects/${slug}`} size="sm" onClick={close}>
              Deploy the project
            </Anchor>
          )}
        </Alert>
      ))}
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          Close
        </Button>
      </Group>
    </Stack>
  )
}

const titles: Record<Domains['missing'][number]['code'], string> = {
  plan_required: 'A paid plan is missing',
  deploy_required: 'A successful deploy is missing',
}

function Form({ close, onAdded, slug }: AddDomainProps) {
  const [text, setText] = useState('')
  const [hasPair, setPair] = useState(false)
  const [fault, setFault] = useState<string>()
  const [settled] = useDebouncedValue(text.trim(), 250)
  const announce = useAnnounce()
  const add = useAddDomain(slug)
  const reading = useQuery({
    queryKey: ['hostnames', settled],
    queryFn: ({ signal }) => ask<Hostname>('POST /hostnames', { body: { host: settled }, signal }),
    enabled: settled !== '',
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const isCurrent = settled === text.trim() && settled !== ''
  const name = isCurrent ? reading.data : undefined
  // While somebody is still typing, half a name is no mistake.
  const refused =
    isCurrent && reading.error instanceof Refusal && settled.includes('.')
      ? problemOf(reading.error)
      : undefined

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault()
    setFault(undefined)
    if (text.trim() === '') {
      setFault('Enter a domain, such as docs.example.com.')
      return
    }
    try {
      const { host, pair } = await add.mutateAsync(text)
      if (hasPair && pair !== null) await addPair(pair)
      onAdded(host)
      close()
    } catch (error) {
      setFault(problemOf(error))
    }
  }

  async function addPair(pair: string): Promise<void> {
    try {
      await add.mutateAsync(pair)
    } catch (error) {
      announce({ text: `${pair} was not added: ${problemOf(error)}`, tone: 'failed' })
    }
  }

  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <Stack>
        <TextInput
          label="Domain or subdomain"
          description="You need access to its DNS settings at your registrar or DNS provider."
          placeholder="docs.example.com"
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value)
            setFault(undefined)
          }}
          error={fault ?? refused}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          inputMode="url"
          data-autofocus
        />
        <div aria-live="polite">{name && <Understood name={name} text={text} />}</div>
        {name?.pair && (
          <Checkbox
            checked={hasPair}
            onChange={(event) => setPair(event.currentTarget.checked)}
            label={`Add ${name.pair} as well`}
            description="People type both. One of them can redirect to the other."
          />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" loading={add.isPending}>
            Add domain
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function Understood({ name, text }: { name: Hostname; text: string }) {
  const { host, isApex, label, registrableDomain, unicodeHost } = name
  const isAsTyped = host === text.trim().toLowerCase()
  return (
    <Stack gap={4}>
      {!isAsTyped && (
        <Text size="sm">
          Taken as <strong>{unicodeHost}</strong>
          {unicodeHost !== host && <> ({host} in DNS)</>}.
        </Text>
      )}
      <Text size="sm" c="dimmed">
        {isApex
          ? 'An apex: it needs an ALIAS or ANAME record, which not every DNS provider supports.'
          : `The subdomain ${label} of ${registrableDomain}: one CNAME record.`}
      </Text>
    </Stack>
  )
}

/** What the server says of the field, or else of the whole. */
function problemOf(error: unknown): string {
  const [first] = error instanceof Refusal ? error.details : []
  return first ? sentence(first.message) : explain(error)
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
