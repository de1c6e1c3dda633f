// The forms of API keys: create, change, rotate. A new key is shown once.
import { Stack, Text } from '@mantine/core'
import type { Answer } from '../../client/management-client.ts'
import { useAnnounce } from '../components/announcements.tsx'
import { AllOrSelected } from '../components/choices.tsx'
import { CopyBlock } from '../components/copy.tsx'
import { TextField } from '../components/fields.tsx'
import { Form } from '../components/form.tsx'
import { ShownOnce } from '../components/shown-once.tsx'
import { useForm } from '../components/use-form.ts'
import { useEnvironment } from '../platform/environment.ts'
import { useChange } from '../platform/requests.ts'
import { ExpiryField, expiryOf } from './expiry-field.tsx'
import { RotateForm } from './rotate-form.tsx'
import { type ApiKey, queriesOf, useEnvironmentState } from './store-queries.ts'

type KeyScope = ApiKey['scopes'][number]

const scopeTitles: Record<KeyScope, string> = {
  'pets:read': 'Read animals and categories',
  'pets:write': 'Add, change and delete animals and categories',
  'orders:read': 'Read orders',
  'orders:write': 'Place orders and change their status',
}

export function NewKeyForm({ close }: { close: () => void }) {
  const environment = useEnvironment()
  const create = useChange('POST /store/{environment}/keys', queriesOf(environment, 'keys'))
  const { field, form } = useForm({
    initial: {
      label: '',
      scopes: null as KeyScope[] | null,
      expiresAt: { days: '', date: '' },
      rateLimit: '',
    },
    send({ expiresAt, label, rateLimit, scopes }) {
      const expiry = expiryOf(expiresAt)
      return create.mutateAsync({
        params: { environment },
        body: {
          label,
          ...(scopes && { scopes }),
          ...(expiry !== undefined && { expiresAt: expiry }),
          ...(rateLimit.trim() !== '' && { rateLimit: rateLimit.trim() }),
        },
      })
    },
  })
  if (create.data) return <NewKey issued={create.data} close={close} />
  return (
    <Form close={close} verb="Create key" {...form}>
      <TextField
        {...field('label')}
        label="Label"
        description="The program that uses it."
        data-autofocus
      />
      <AllOrSelected
        {...field('scopes')}
        label="Permissions"
        selectionLabel="Scopes"
        titles={scopeTitles}
        first={['pets:read']}
      />
      <ExpiryField {...field('expiresAt')} />
      <RateLimitField {...field('rateLimit')} />
    </Form>
  )
}

function RateLimitField(field: {
  value: string
  onChange: (value: string) => void
  error: string | undefined
}) {
  const standard = useEnvironmentState()?.rateLimit
  return (
    <TextField
      {...field}
      label="Rate limit"
      description={`Requests per time, such as 600/60s. Leave it empty for the standard${standard === undefined ? '' : `: ${standard ?? 'no limit'}`}.`}
      spellCheck={false}
    />
  )
}

function NewKey({
  close,
  issued,
}: {
  issued: Answer<'POST /store/{environment}/keys'>
  close: () => void
}) {
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

export function EditKeyForm({ apiKey, close }: { apiKey: ApiKey; close: () => void }) {
  const environment = useEnvironment()
  const change = useChange(
    'PATCH /store/{environment}/keys/{keyId}',
    queriesOf(environment, 'keys'),
  )
  const announce = useAnnounce()
  const { field, form } = useForm({
    initial: { label: apiKey.label, rateLimit: apiKey.rateLimit ?? '' },
    async send({ label, rateLimit }) {
      const params = { environment, keyId: apiKey.id }
      const body = { label, rateLimit: rateLimit.trim() || null }
      const saved = await change.mutateAsync({ params, body })
      announce(`${saved.label} is saved.`)
      close()
    },
  })
  return (
    <Form close={close} verb="Save" {...form}>
      <TextField {...field('label')} label="Label" data-autofocus />
      <RateLimitField {...field('rateLimit')} />
    </Form>
  )
}

export function RotateKeyForm({ apiKey, close }: { apiKey: ApiKey; close: () => void }) {
  const environment = useEnvironment()
  const rotate = useChange(
    'POST /store/{environment}/keys/{keyId}/rotate',
    queriesOf(environment, 'keys'),
  )
  if (rotate.data) return <NewKey issued={rotate.data} close={close} />
  return (
    <RotateForm
      close={close}
      verb="Rotate"
      label="Keep the old key"
      rotate={(body) => rotate.mutateAsync({ params: { environment, keyId: apiKey.id }, body })}
    >
      Creates a new key with the same label, permissions, rate limit and lifetime. The old key keeps
      working for a while, so that its program can change.
    </RotateForm>
  )
}
