// Creates an access token, and shows it this once.
import { Checkbox, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { type TokenScope, tokenScopes } from '../../server/platform/management/token-scopes.ts'
import { CopyBlock } from '../components/copy.tsx'
import { DialogForm } from '../components/dialog.tsx'
import { problemsOf } from '../components/form-problems.ts'
import { ShownOnce } from '../components/shown-once.tsx'
import { useAccount } from '../platform/session.ts'
import { useCreateToken } from './account-queries.ts'

const meanings: Record<TokenScope, string> = {
  'projects:read': 'Read projects, deploys and domains',
  'projects:write': 'Create, change and delete projects',
  'deploys:write': 'Deploy',
  'domains:write': 'Add, verify, configure and remove domains',
  'store:read': 'Read the store',
  'store:write': 'Change animals, orders and webhooks',
}

export function TokenForm({ close }: { close: () => void }) {
  const { role } = useAccount()
  const [label, setLabel] = useState('')
  const [scopes, setScopes] = useState<string[]>(['projects:read', 'deploys:write'])
  const [days, setDays] = useState('90')
  const create = useCreateToken()
  const problems = problemsOf(create.error, ['label', 'scopes', 'expiresInDays'])
  // The store is the operators' alone.
  const possible = tokenScopes.filter((scope) => role === 'operator' || !scope.startsWith('store:'))

  if (create.data) {
    return (
      <ShownOnce what="access token" secret={create.data.token} close={close}>
        <Stack gap={6}>
          <Text size="sm">For the command line:</Text>
          <CopyBlock
            what="the commands"
            text={`export ANIMAL_STORE_URL=${location.origin}\nexport ANIMAL_STORE_TOKEN=${create.data.token}`}
          />
        </Stack>
      </ShownOnce>
    )
  }
  return (
    <DialogForm
      close={close}
      verb="Create token"
      submit={() => create.mutate({ label, scopes, expiresInDays: Number(days) })}
      isPending={create.isPending}
      problem={problems.other}
    >
      <TextInput
        label="Label"
        description="What you will know it by: the machine or program that uses it."
        value={label}
        onChange={(event) => setLabel(event.currentTarget.value)}
        error={problems.at('label')}
        autoComplete="off"
        data-autofocus
      />
      <Checkbox.Group
        label="What it may do"
        value={scopes}
        onChange={setScopes}
        error={problems.at('scopes')}
      >
        <Stack gap={6} mt={4}>
          {possible.map((scope) => (
            <Checkbox key={scope} value={scope} label={meanings[scope]} description={scope} />
          ))}
        </Stack>
      </Checkbox.Group>
      <NativeSelect
        label="Ends"
        value={days}
        onChange={(event) => setDays(event.currentTarget.value)}
        data={[
          { value: '7', label: 'in 7 days' },
          { value: '30', label: 'in 30 days' },
          { value: '90', label: 'in 90 days' },
          { value: '366', label: 'in a year' },
        ]}
        error={problems.at('expiresInDays')}
      />
    </DialogForm>
  )
}
