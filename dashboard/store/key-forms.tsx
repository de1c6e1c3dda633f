// The forms of API keys: create, change, rotate. What makes a key shows it, this once.
import { Checkbox, NativeSelect, Radio, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { scopes as allScopes } from '../../server/store/keys/scopes.ts'
import { useAnnounce } from '../components/announcements.tsx'
import { CopyBlock } from '../components/copy.tsx'
import { DialogForm } from '../components/dialog.tsx'
import { problemsOf } from '../components/form-problems.ts'
import { ShownOnce } from '../components/shown-once.tsx'
import type { EnvironmentName } from '../shell/navigation.tsx'
import { useEnvironmentState } from './environment-queries.ts'
import { ExpiryField, expiryOf } from './expiry-field.tsx'
import {
  type ApiKey,
  type IssuedApiKey,
  useChangeKey,
  useCreateKey,
  useRotateKey,
} from './key-queries.ts'
import { overlaps } from './overlaps.ts'

interface FormProps {
  environment: EnvironmentName
  close: () => void
}

const meanings: Record<string, string> = {
  'pets:read': 'Read animals and categories',
  'pets:write': 'Add, change and delete animals and categories',
  'orders:read': 'Read orders',
  'orders:write': 'Place orders and change their status',
}

export function NewKeyForm({ close, environment }: FormProps) {
  const [label, setLabel] = useState('')
  const [isFree, setFree] = useState(true)
  const [chosen, setChosen] = useState<string[]>(['pets:read'])
  const [expiry, setExpiry] = useState({ days: '', date: '' })
  const [rateLimit, setRateLimit] = useState('')
  const create = useCreateKey(environment)
  const problems = problemsOf(create.error, ['label', 'scopes', 'expiresAt', 'rateLimit'])
  if (create.data) return <NewKey issued={create.data} environment={environment} close={close} />

  function submit(): void {
    const expiresAt = expiryOf(expiry)
    create.mutate({
      label,
      ...(isFree ? {} : { scopes: chosen }),
      ...(expiresAt === undefined ? {} : { expiresAt }),
      ...(rateLimit.trim() === '' ? {} : { rateLimit: rateLimit.trim() }),
    })
  }

  return (
    <DialogForm
      close={close}
      verb="Create key"
      submit={submit}
      isPending={create.isPending}
      problem={problems.other}
    >
      <TextInput
        label="Label"
        description="What you will know it by: the program that uses it."
        value={label}
        onChange={(event) => setLabel(event.currentTarget.value)}
        error={problems.at('label')}
        autoComplete="off"
        data-autofocus
      />
      <Radio.Group
        label="What it may do"
        value={isFree ? 'all' : 'some'}
        onChange={(value) => setFree(value === 'all')}
        error={isFree ? undefined : problems.at('scopes')}
      >
        <Stack gap={6} mt={4}>
          <Radio value="all" label="Everything, later additions included" />
          <Radio value="some" label="Only this:" />
        </Stack>
      </Radio.Group>
      {!isFree && (
        <Checkbox.Group value={chosen} onChange={setChosen} aria-label="Scopes">
          <Stack gap={6} pl="xl">
            {allScopes.map((scope) => (
              <Checkbox key={scope} value={scope} label={meanings[scope]} description={scope} />
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
    </DialogForm>
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
    <TextInput
      label="Rate limit"
      description={`Such as 600/60s: requests in seconds. Empty is the standard${standard === undefined ? '' : `: ${standard ?? 'no limit'}`}.`}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={error}
      autoComplete="off"
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
          <Text size="sm">It works already:</Text>
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
    <DialogForm
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
      <TextInput
        label="Label"
        value={label}
        onChange={(event) => setLabel(event.currentTarget.value)}
        error={problems.at('label')}
        data-autofocus
      />
      <RateLimitField
        environment={environment}
        value={rateLimit}
        onChange={setRateLimit}
        error={problems.at('rateLimit')}
      />
    </DialogForm>
  )
}

export function RotateKeyForm({ apiKey, close, environment }: FormProps & { apiKey: ApiKey }) {
  const [overlap, setOverlap] = useState('86400')
  const rotate = useRotateKey(environment)
  const problems = problemsOf(rotate.error, ['overlapSeconds'])
  if (rotate.data) return <NewKey issued={rotate.data} environment={environment} close={close} />
  return (
    <DialogForm
      close={close}
      verb="Rotate"
      submit={() => rotate.mutate({ id: apiKey.id, overlapSeconds: Number(overlap) })}
      isPending={rotate.isPending}
      problem={problems.other}
    >
      <Text>
        A new key is made with the same label, scopes, limit and length of life. The old one goes on
        until its program has changed.
      </Text>
      <NativeSelect
        label="The old key goes on"
        value={overlap}
        onChange={(event) => setOverlap(event.currentTarget.value)}
        data={overlaps}
        error={problems.at('overlapSeconds')}
        data-autofocus
      />
    </DialogForm>
  )
}
