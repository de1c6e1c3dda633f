// The forms of API keys: create, change, rotate. A new key is shown once.
import { Checkbox, Radio, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useAnnounce } from '../components/announcements.tsx'
import { CopyBlock } from '../components/copy.tsx'
import { TextField } from '../components/fields.tsx'
import { Form } from '../components/form.tsx'
import { ShownOnce } from '../components/shown-once.tsx'
import { problemsOf } from '../components/use-form.ts'
import type { EnvironmentName } from '../platform/environment.ts'
import { useEnvironmentState } from './environment-queries.ts'
import { defaultOverlapSeconds, ExpiryField, expiryOf, OverlapField } from './expiry-field.tsx'
import {
  type ApiKey,
  type IssuedApiKey,
  type KeyScope,
  useChangeKey,
  useCreateKey,
  useRotateKey,
} from './key-queries.ts'

interface FormProps {
  environment: EnvironmentName
  close: () => void
}

const scopeTitles: Record<KeyScope, string> = {
  'pets:read': 'Read animals and categories',
  'pets:write': 'Add, change and delete animals and categories',
  'orders:read': 'Read orders',
  'orders:write': 'Place orders and change their status',
}
const allScopes = Object.keys(scopeTitles) as KeyScope[]

export function NewKeyForm({ close, environment }: FormProps) {
  const [label, setLabel] = useState('')
  const [hasAllScopes, setHasAllScopes] = useState(true)
  const [chosen, setChosen] = useState<KeyScope[]>(['pets:read'])
  const [expiry, setExpiry] = useState({ days: '', date: '' })
  const [rateLimit, setRateLimit] = useState('')
  const create = useCreateKey(environment)
  const problems = problemsOf(create.error, ['label', 'scopes', 'expiresAt', 'rateLimit'])
  if (create.data) return <NewKey issued={create.data} environment={environment} close={close} />

  function submit(): void {
    const expiresAt = expiryOf(expiry)
    create.mutate({
      label,
      ...(hasAllScopes ? {} : { scopes: chosen }),
      ...(expiresAt === undefined ? {} : { expiresAt }),
      ...(rateLimit.trim() === '' ? {} : { rateLimit: rateLimit.trim() }),
    })
  }

  return (
    <Form
      close={close}
      verb="Create key"
      submit={submit}
      isPending={create.isPending}
      problem={problems.other}
    >
      <TextField
        label="Label"
        description="The program that uses it."
        value={label}
        onChange={setLabel}
        error={problems.at('label')}
        data-autofocus
      />
      <Radio.Group
        label="Permissions"
        value={hasAllScopes ? 'all' : 'some'}
        onChange={(value) => setHasAllScopes(value === 'all')}
        error={hasAllScopes ? undefined : problems.at('scopes')}
      >
        <Stack gap={6} mt={4}>
          <Radio value="all" label="All, including those added later" />
          <Radio value="some" label="Selected:" />
        </Stack>
      </Radio.Group>
      {!hasAllScopes && (
        <Checkbox.Group
          value={chosen}
          onChange={(scopes) => setChosen(scopes as KeyScope[])}
          aria-label="Scopes"
        >
          <Stack gap={6} pl="xl">
            {allScopes.map((scope) => (
              <Checkbox key={scope} value={scope} label={scopeTitles[scope]} description={scope} />
            ))}
          </Stack>
        </Checkbox.Group>
      )}
      <ExpiryField value={expiry} onChange={setExpiry} error={problems.at('expiresAt')} />
      <RateLimitField
        environment={environment}
        value={rateLimit}
        onChange={setRateLimit}
        error={problems.at('rateLimit')}
      />
    </Form>
  )
}

function RateLimitField(props: {
  environment: EnvironmentName
  value: string
  onChange: (value: string) => void
  error: string | undefined
}) {
  const { environment, error, onChange, value } = props
  const standard = useEnvironmentState(environment).data?.rateLimit
  return (
    <TextField
      label="Rate limit"
      description={`Requests per time, such as 600/60s. Leave it empty for the standard${standard === undefined ? '' : `: ${standard ?? 'no limit'}`}.`}
      value={value}
      onChange={onChange}
      error={error}
      spellCheck={false}
    />
  )
}

function NewKey({
  close,
  environment,
  issued,
}: {
  issued: IssuedApiKey
  environment: EnvironmentName
  close: () => void
}) {
  const base = useEnvironmentState(environment).data?.baseUrl
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

export function EditKeyForm({ apiKey, close, environment }: FormProps & { apiKey: ApiKey }) {
  const [label, setLabel] = useState(apiKey.label)
  const [rateLimit, setRateLimit] = useState(apiKey.rateLimit ?? '')
  const change = useChangeKey(environment)
  const announce = useAnnounce()
  const problems = problemsOf(change.error, ['label', 'rateLimit'])
  return (
    <Form
      close={close}
      verb="Save"
      submit={() =>
        change.mutate(
          { id: apiKey.id, label, rateLimit: rateLimit.trim() === '' ? null : rateLimit.trim() },
          {
            onSuccess: (saved) => {
              announce({ text: `${saved.label} is saved.` })
              close()
            },
          },
        )
      }
      isPending={change.isPending}
      problem={problems.other}
    >
      <TextField
        label="Label"
        value={label}
        onChange={setLabel}
        error={problems.at('label')}
        data-autofocus
      />
      <RateLimitField
        environment={environment}
        value={rateLimit}
        onChange={setRateLimit}
        error={problems.at('rateLimit')}
      />
    </Form>
  )
}

export function RotateKeyForm({ apiKey, close, environment }: FormProps & { apiKey: ApiKey }) {
  const [overlap, setOverlap] = useState(defaultOverlapSeconds)
  const rotate = useRotateKey(environment)
  const problems = problemsOf(rotate.error, ['overlapSeconds'])
  if (rotate.data) return <NewKey issued={rotate.data} environment={environment} close={close} />
  return (
    <Form
      close={close}
      verb="Rotate"
      submit={() => rotate.mutate({ id: apiKey.id, overlapSeconds: Number(overlap) })}
      isPending={rotate.isPending}
      problem={problems.other}
    >
      <Text>
        Creates a new key with the same label, permissions, rate limit and lifetime. The old key
        keeps working for a while, so that its program can change.
      </Text>
      <OverlapField
        label="Keep the old key"
        value={overlap}
        onChange={setOverlap}
        error={problems.at('overlapSeconds')}
      />
    </Form>
  )
}
