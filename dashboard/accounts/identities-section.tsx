// Identities at the identity provider that can sign in to the account. Without a provider and identities there is
// nothing to show.
import { Text } from '@mantine/core'
import { useState } from 'react'
import { ConfirmButton } from '../components/action-buttons.tsx'
import { AddButton } from '../components/add-button.tsx'
import { CurrentPasswordField, checkPassword, wrongPassword } from '../components/fields.tsx'
import { Form } from '../components/form.tsx'
import { Section } from '../components/page.tsx'
import { Records } from '../components/records.tsx'
import { Empty, LoadedItems } from '../components/states.tsx'
import { Ago } from '../components/time.tsx'
import { useForm } from '../components/use-form.ts'
import { isCode } from '../platform/api.ts'
import { explainProvider, openProvider } from '../platform/provider.ts'
import { useChange, useGet } from '../platform/requests.ts'

const changed = { queryKey: ['account', 'identities'] }

export function IdentitiesSection() {
  const identities = useGet('GET /account/identities')
  const remove = useChange('DELETE /account/identities/{identityId}', changed)
  const { hasPassword = false, items = [], provider = null } = identities.data ?? {}
  if (identities.isSuccess && provider === null && items.length === 0) return null
  return (
    <Section
      level={3}
      title="Identity provider"
      actions={
        provider !== null &&
        hasPassword && (
          <AddButton
            title={`Connect ${provider}`}
            content={(close) => <ConnectForm provider={provider} close={close} />}
            isSmall
            hasKey={false}
          />
        )
      }
    >
      <LoadedItems
        query={identities}
        empty={
          <Empty title="Not connected" isFramed>
            Connect {provider} to sign in with it instead of your password.
          </Empty>
        }
      >
        {(items) => (
          <Records
            caption="Identities"
            rows={items}
            columns={[
              { title: 'Identity', isHead: true, cell: ({ email }) => email ?? 'Without an email' },
              {
                title: 'Issuer',
                isMinor: true,
                cell: ({ issuer }) => <Text size="sm">{shortened(issuer)}</Text>,
              },
              { title: 'Connected', cell: ({ createdAt }) => <Ago time={createdAt} /> },
              {
                title: 'Last used',
                cell: ({ lastUsedAt }) => (lastUsedAt ? <Ago time={lastUsedAt} /> : 'Never'),
              },
            ]}
            actions={({ email, id, issuer }) => (
              <ConfirmButton
                label={`Remove ${email ?? issuer}`}
                confirmation={{
                  title: `Remove ${email ?? issuer}?`,
                  text: 'It can no longer be used to sign in. Sessions that it has started stay signed in.',
                  verb: 'Remove',
                  act: () => remove.mutateAsync({ params: { identityId: id } }),
                  done: `${email ?? issuer} is removed.`,
                }}
              />
            )}
          />
        )}
      </LoadedItems>
    </Section>
  )
}

const shortened = (issuer: string): string => issuer.replace(/^https:\/\//, '')

function ConnectForm({ close, provider }: { close: () => void; provider: string }) {
  const start = useChange('POST /account/identities/start')
  const [problem, setProblem] = useState<string>()
  const { field, form } = useForm({
    initial: { currentPassword: '' },
    checks: { currentPassword: checkPassword },
    codes: wrongPassword,
    async send({ currentPassword }) {
      setProblem(undefined)
      try {
        const { url } = await start.mutateAsync({ body: { currentPassword } })
        await openProvider(url)
      } catch (error) {
        if (!isCode(error, 'provider_unavailable')) throw error
        setProblem(explainProvider(error, provider))
      }
    },
  })
  return (
    <Form
      close={close}
      verb="Continue"
      busyVerb={`Opening ${provider}…`}
      {...form}
      problem={problem ?? form.problem}
    >
      <Text size="sm">You sign in at {provider}, which then brings you back here.</Text>
      <CurrentPasswordField {...field('currentPassword')} data-autofocus />
    </Form>
  )
}
