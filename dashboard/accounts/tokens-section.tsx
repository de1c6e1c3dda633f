// Access tokens, with which programs act as the account.
import { Anchor, Group, Stack, Text } from '@mantine/core'
import { Link } from 'react-router'
import type { Answer, CallInput } from '../../client/management-client.ts'
import { ConfirmButton } from '../components/action-buttons.tsx'
import { AddButton } from '../components/add-button.tsx'
import { Choices } from '../components/choices.tsx'
import { CopyBlock } from '../components/copy.tsx'
import { SelectField, TextField } from '../components/fields.tsx'
import { Form } from '../components/form.tsx'
import { Section } from '../components/page.tsx'
import { Records } from '../components/records.tsx'
import { ShownOnce } from '../components/shown-once.tsx'
import { Empty, LoadedItems } from '../components/states.tsx'
import { RevokeToken, TokenName, tokenTimes } from '../components/token-cells.tsx'
import { tokenLifetimes } from '../components/token-lifetimes.ts'
import { useForm } from '../components/use-form.ts'
import { useChange, useGet } from '../platform/requests.ts'
import { useAccount } from '../platform/use-account.ts'

type AccessToken = Answer<'GET /account/tokens'>['items'][number]
type TokenScope = NonNullable<CallInput<'POST /account/tokens'>['body']['scopes']>[number]

const changed = { queryKey: ['account', 'tokens'] }

export function TokensSection() {
  const tokens = useGet('GET /account/tokens')
  const revoke = useChange('DELETE /account/tokens/{tokenId}', changed)
  const revokeAll = useChange('DELETE /account/tokens', changed)
  return (
    <Section
      id="tokens"
      title="Access tokens"
      lead="For the command line and your programs. A token acts as your account, within its scopes."
      actions={
        <Group gap={8}>
          {(tokens.data?.items.length ?? 0) > 1 && (
            <ConfirmButton
              confirmation={{
                title: 'Revoke all access tokens?',
                text: 'Programs that use them are refused from their next request on.',
                verb: 'Revoke all',
                act: () => revokeAll.mutateAsync({}),
                done: 'All access tokens are revoked.',
              }}
            />
          )}
          <AddButton
            title="Create access token"
            label="Create token"
            content={(close) => <TokenForm close={close} />}
            isSmall
          />
        </Group>
      }
    >
      <LoadedItems
        query={tokens}
        empty={
          <Empty title="No access tokens" isFramed>
            Create one for the command line. For CI, create a deploy token in the settings of the
            project.
          </Empty>
        }
      >
        {(items) => (
          <Records
            caption="Access tokens"
            rows={items}
            columns={[
              {
                title: 'Name',
                isHead: true,
                by: ({ label }) => label,
                cell: (token) => <TokenName token={token} />,
              },
              { title: 'Scopes', isMinor: true, cell: ({ scopes }) => scopes.join(', ') },
              { title: 'Project', isMinor: true, cell: (token) => <TokenProject token={token} /> },
              ...tokenTimes,
            ]}
            actions={({ id, label }) => (
              <RevokeToken
                label={label}
                text="Programs that use it are refused from their next request on."
                act={() => revoke.mutateAsync({ params: { tokenId: id } })}
              />
            )}
          />
        )}
      </LoadedItems>
    </Section>
  )
}

/** A personal access token works for all projects of its account. */
function TokenProject({ token: { project, scopes } }: { token: AccessToken }) {
  if (project) {
    return (
      <Anchor component={Link} to={`/projects/${project.slug}/settings/tokens`} size="sm">
        {project.name}
      </Anchor>
    )
  }
  const isOfProject = scopes.some((scope) => scope === 'project:deploy' || scope === 'site:read')
  return isOfProject ? 'Deleted project' : 'All'
}

const scopeTitles: Record<TokenScope, string> = {
  'projects:read': 'Read projects, deploys and domains',
  'projects:write': 'Create, change and delete projects',
  'deploys:write': 'Deploy',
  'domains:write': 'Add, verify, configure and remove domains',
  'store:read': 'Read the store',
  'store:write': 'Change animals, orders and webhooks',
}

function TokenForm({ close }: { close: () => void }) {
  const { role } = useAccount()
  const create = useChange('POST /account/tokens', changed)
  const { field, form } = useForm({
    initial: {
      label: '',
      scopes: ['projects:read', 'deploys:write'] as TokenScope[],
      expiresInDays: '90',
    },
    send: ({ expiresInDays, ...body }) =>
      create.mutateAsync({ body: { ...body, expiresInDays: Number(expiresInDays) } }),
  })
  // Only operators can use the store.
  const titles = Object.fromEntries(
    Object.entries(scopeTitles).filter(
      ([scope]) => role === 'operator' || !scope.startsWith('store:'),
    ),
  )

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
    <Form close={close} verb="Create token" {...form}>
      <TextField
        {...field('label')}
        label="Name"
        description="The machine or program that uses it."
        data-autofocus
      />
      <Choices {...field('scopes')} label="Scopes" titles={titles} />
      <SelectField {...field('expiresInDays')} label="Expires" data={tokenLifetimes} />
    </Form>
  )
}
