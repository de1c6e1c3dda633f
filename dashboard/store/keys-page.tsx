// API keys, with which programs call the store's API. A key is shown once, when it is created.
import { Group, Stack, Switch, Text } from '@mantine/core'
import type { Answer } from '../../client/management-client.ts'
import { AddButton, RowMenu, ShownOnce } from '../components/actions.tsx'
import { CopyBlock } from '../components/copy.tsx'
import { Form, SelectField, TextField, useForm } from '../components/form.tsx'
import { WarningIcon } from '../components/icons.tsx'
import { AllOrSelected, useFilters } from '../components/inputs.tsx'
import { Empty, LoadedItems, Loading, Page } from '../components/page.tsx'
import { type Column, Records } from '../components/records.tsx'
import { Ago, Note, StateBadge } from '../components/values.tsx'
import { counted } from '../platform/formats.ts'
import { useChange, useEnvironment, useList } from '../platform/requests.ts'
import { RotateForm } from './rotate-form.tsx'
import { type ApiKey, useEnvironmentState } from './store-queries.ts'

export function Component() {
  const environment = useEnvironment()
  const { get, set } = useFilters([])
  const keys = useList(
    'GET /store/{environment}/keys',
    'before',
    { query: { limit: 50 } },
    // For the time of last use.
    30_000,
  )
  const showsAll = get('ended') === 'shown'
  const create = (
    <AddButton label="Create key" title={`Create a ${environment} key`} content={<KeyForm />} />
  )
  return (
    <Page
      title="API keys"
      lead={`Programs call the store's ${environment} API with a key. Keys of the other environment are refused.`}
      actions={create}
    >
      <LoadedItems query={keys} loading={<Loading rows={4} height={64} />}>
        {(all) => {
          const active = all.filter(({ state }) => state === 'active')
          const ended = all.length - active.length
          const shown = showsAll ? all : active
          return (
            <>
              {all.length > 0 && (ended > 0 || showsAll) && (
                <Switch
                  mb="md"
                  label={`Show ${counted(ended, 'expired or revoked key')}`}
                  checked={showsAll}
                  onChange={(event) => set({ ended: event.currentTarget.checked ? 'shown' : '' })}
                />
              )}
              {shown.length === 0 ? (
                <Empty title="No active keys" action={create}>
                  Programs need a key to call the {environment} API.
                </Empty>
              ) : (
                <Records
                  caption="API keys"
                  rows={shown}
                  columns={columns}
                  actions={(key) => key.state !== 'revoked' && <Actions apiKey={key} />}
                />
              )}
            </>
          )
        }}
      </LoadedItems>
    </Page>
  )
}

const columns: Column<ApiKey>[] = [
  {
    title: 'Key',
    isHead: true,
    by: ({ label }) => label,
    cell: ({ id, label, state }) => (
      <Stack gap={0}>
        <Group gap={6}>
          {label}
          {state === 'expired' && <StateBadge tone="neutral">Expired</StateBadge>}
          {state === 'revoked' && <StateBadge tone="danger">Revoked</StateBadge>}
        </Group>
        <Note size="xs" ff="monospace">
          {id}
        </Note>
      </Stack>
    ),
  },
  {
    title: 'Permissions',
    isMinor: true,
    cell: ({ hasAllScopes, scopes }) => (hasAllScopes ? 'All' : scopes.join(', ')),
  },
  { title: 'Rate limit', isMinor: true, cell: ({ rateLimit }) => rateLimit ?? 'Standard' },
  {
    title: 'Expires',
    by: ({ expiresAt, revokedAt }) => revokedAt ?? expiresAt ?? '9999',
    cell: ({ expiresAt, revokedAt }) => <Ago time={revokedAt ?? expiresAt} />,
  },
  {
    title: 'Last used',
    by: ({ lastUsedAt }) => lastUsedAt ?? '',
    cell: ({ deprecatedAt, deprecatedCalls, lastUsedAt }) => (
      <Stack gap={2}>
        <span>
          <Ago time={lastUsedAt} />
        </span>
        {deprecatedCalls > 0 && deprecatedAt && (
          <Group gap={4} wrap="nowrap" align="flex-start">
            <WarningIcon size={15} />
            <Text size="xs">
              {counted(deprecatedCalls, 'call')} of the deprecated getPet, which is removed on 5
              December 2030. Last call: <Ago time={deprecatedAt} />
            </Text>
          </Group>
        )}
      </Stack>
    ),
  },
]

function Actions({ apiKey }: { apiKey: ApiKey }) {
  const { id, label } = apiKey
  const revoke = useChange('DELETE /store/{environment}/keys/{keyId}')
  return (
    <RowMenu
      label={`More for ${label}`}
      actions={[
        { item: 'Edit', title: `Edit ${label}`, content: <KeyForm apiKey={apiKey} /> },
        { item: 'Rotate', title: `Rotate ${label}`, content: <RotateKeyForm apiKey={apiKey} /> },
        {
          title: `Revoke ${label}?`,
          text: 'Programs that use it are refused from their next request on. This cannot be undone. To give a program time to change, rotate the key instead.',
          verb: 'Revoke',
          act: () => revoke.mutateAsync({ params: { keyId: id } }),
          done: `${label} is revoked.`,
        },
      ]}
    />
  )
}

type KeyScope = ApiKey['scopes'][number]

const scopeTitles: Record<KeyScope, string> = {
  'pets:read': 'Read animals and categories',
  'pets:write': 'Add, change and delete animals and categories',
  'orders:read': 'Read orders',
  'orders:write': 'Place orders and change their status',
}

/** Creates a key, or changes the label and the rate limit of one. */
function KeyForm({ apiKey }: { apiKey?: ApiKey }) {
  const create = useChange('POST /store/{environment}/keys')
  const change = useChange('PATCH /store/{environment}/keys/{keyId}')
  const standard = useEnvironmentState()?.rateLimit
  const { field, form } = useForm({
    initial: {
      label: apiKey?.label ?? '',
      scopes: null as KeyScope[] | null,
      expiresAt: { days: '', date: '' },
      rateLimit: apiKey?.rateLimit ?? '',
    },
    async send({ expiresAt, label, scopes, ...typed }) {
      const rateLimit = typed.rateLimit.trim() || null
      if (apiKey) {
        const body = { label, rateLimit }
        return await change.mutateAsync({ params: { keyId: apiKey.id }, body })
      }
      const expiry = expiryOf(expiresAt)
      const body = {
        label,
        ...(scopes && { scopes }),
        ...(expiry !== undefined && { expiresAt: expiry }),
        ...(rateLimit && { rateLimit }),
      }
      return await create.mutateAsync({ body })
    },
    done: ({ label }) => apiKey !== undefined && `${label} is saved.`,
  })
  if (create.data) return <NewKey issued={create.data} />
  return (
    <Form verb={apiKey ? 'Save' : 'Create key'} {...form}>
      <TextField {...field('label', 'Label', apiKey ? undefined : 'The program that uses it.')} />
      {!apiKey && (
        <>
          <AllOrSelected
            {...field('scopes', 'Permissions')}
            selectionLabel="Scopes"
            titles={scopeTitles}
            first={['pets:read']}
          />
          <ExpiryField {...field('expiresAt')} />
        </>
      )}
      <TextField
        {...field('rateLimit')}
        label="Rate limit"
        description={`Requests per time, such as 600/60s. Leave it empty for the standard${standard === undefined ? '' : `: ${standard ?? 'no limit'}`}.`}
        spellCheck={false}
      />
    </Form>
  )
}

function NewKey({ issued }: { issued: Answer<'POST /store/{environment}/keys'> }) {
  const base = useEnvironmentState()?.baseUrl
  return (
    <ShownOnce what="API key" secret={issued.key}>
      {base && (
        <Stack gap={6}>
          <Text size="sm">Try it:</Text>
          <CopyBlock
            what="the command"
            text={`curl -H 'Authorization: Bearer ${issued.key}' '${base}/pets?limit=3'`}
          />
        </Stack>
      )}
    </ShownOnce>
  )
}

function RotateKeyForm({ apiKey }: { apiKey: ApiKey }) {
  const rotate = useChange('POST /store/{environment}/keys/{keyId}/rotate')
  if (rotate.data) return <NewKey issued={rotate.data} />
  return (
    <RotateForm
      verb="Rotate"
      label="Keep the old key"
      rotate={(body) => rotate.mutateAsync({ params: { keyId: apiKey.id }, body })}
    >
      Creates a new key with the same label, permissions, rate limit and lifetime. The old key keeps
      working for a while, so that its program can change.
    </RotateForm>
  )
}

interface Expiry {
  /** Days from now; empty for never, `date` for a day. */
  days: string
  /** `2027-01-31`, in the user's time zone. */
  date: string
}

const dayMs = 86_400_000

/** RFC 3339, at the end of the day; undefined for never. */
function expiryOf({ date, days }: Expiry): string | undefined {
  if (days === '') return undefined
  if (days !== 'date') return new Date(Date.now() + Number(days) * dayMs).toISOString()
  const end = new Date(`${date}T23:59:59`)
  // The server explains what is wrong with an invalid day.
  return Number.isNaN(end.getTime()) ? date : end.toISOString()
}

interface ExpiryFieldProps {
  value: Expiry
  onChange: (value: Expiry) => void
  error: string | undefined
}

function ExpiryField({ error, onChange, value }: ExpiryFieldProps) {
  const isDay = value.days === 'date'
  return (
    <Group align="flex-start" grow>
      <SelectField
        label="Expires"
        value={value.days}
        onChange={(days) => onChange({ ...value, days })}
        data={[
          { value: '', label: 'never' },
          { value: '30', label: 'in 30 days' },
          { value: '90', label: 'in 90 days' },
          { value: '365', label: 'in a year' },
          { value: 'date', label: 'on a day' },
        ]}
        error={isDay ? undefined : error}
      />
      {isDay && (
        <TextField
          type="date"
          label="Last day"
          value={value.date}
          onChange={(date) => onChange({ ...value, date })}
          error={error}
        />
      )}
    </Group>
  )
}
