// The forms of API keys: create, change, rotate. A new key is shown once.
import { Group, Stack, Text } from '@mantine/core'
import type { Answer } from '../../client/management-client.ts'
import { useAnnounce } from '../components/announcements.tsx'
import { AllOrSelected } from '../components/choices.tsx'
import { CopyBlock } from '../components/copy.tsx'
import { SelectField, TextField } from '../components/fields.tsx'
import { Form } from '../components/form.tsx'
import { ShownOnce } from '../components/shown-once.tsx'
import { useForm } from '../components/use-form.ts'
import { RotateForm } from './rotate-form.tsx'
import { type ApiKey, useEnvironmentState, useStoreChange } from './store-queries.ts'

type KeyScope = ApiKey['scopes'][number]

const scopeTitles: Record<KeyScope, string> = {
  'pets:read': 'Read animals and categories',
  'pets:write': 'Add, change and delete animals and categories',
  'orders:read': 'Read orders',
  'orders:write': 'Place orders and change their status',
}

/** Creates a key, or changes the label and the rate limit of one. */
export function KeyForm({ apiKey, close }: { apiKey?: ApiKey; close: () => void }) {
  const create = useStoreChange('POST /store/{environment}/keys')
  const change = useStoreChange('PATCH /store/{environment}/keys/{keyId}')
  const standard = useEnvironmentState()?.rateLimit
  const announce = useAnnounce()
  const { field, form } = useForm({
    initial: {
      label: apiKey?.label ?? '',
      scopes: null as KeyScope[] | null,
      expiresAt: { days: '', date: '' },
      rateLimit: apiKey?.rateLimit ?? '',
    },
    async send({ expiresAt, label, scopes, ...typed }) {
      const rateLimit = typed.rateLimit.trim()
      if (apiKey) {
        const body = { label, rateLimit: rateLimit || null }
        const saved = await change.mutateAsync({ params: { keyId: apiKey.id }, body })
        announce(`${saved.label} is saved.`)
        close()
        return
      }
      const expiry = expiryOf(expiresAt)
      await create.mutateAsync({
        body: {
          label,
          ...(scopes && { scopes }),
          ...(expiry !== undefined && { expiresAt: expiry }),
          ...(rateLimit !== '' && { rateLimit }),
        },
      })
    },
  })
  if (create.data) return <NewKey issued={create.data} close={close} />
  return (
    <Form close={close} verb={apiKey ? 'Save' : 'Create key'} {...form}>
      <TextField
        {...field('label')}
        label="Label"
        description={apiKey ? undefined : 'The program that uses it.'}
        data-autofocus
      />
      {!apiKey && (
        <>
          <AllOrSelected
            {...field('scopes')}
            label="Permissions"
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

interface NewKeyProps {
  issued: Answer<'POST /store/{environment}/keys'>
  close: () => void
}

function NewKey({ close, issued }: NewKeyProps) {
  const base = useEnvironmentState()?.baseUrl
  return (
    <ShownOnce what="API key" secret={issued.key} close={close}>
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

export function RotateKeyForm({ apiKey, close }: { apiKey: ApiKey; close: () => void }) {
  const rotate = useStoreChange('POST /store/{environment}/keys/{keyId}/rotate')
  if (rotate.data) return <NewKey issued={rotate.data} close={close} />
  return (
    <RotateForm
      close={close}
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
