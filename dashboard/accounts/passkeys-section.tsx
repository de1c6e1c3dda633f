// Passkeys of the account: signing in with a device instead of a password.
import { ConfirmButton } from '../components/action-buttons.tsx'
import { AddButton } from '../components/add-button.tsx'
import { useAnnounce } from '../components/announcements.tsx'
import {
  CurrentPasswordField,
  checkPassword,
  TextField,
  wrongPassword,
} from '../components/fields.tsx'
import { Form } from '../components/form.tsx'
import { Section } from '../components/page.tsx'
import { Records } from '../components/records.tsx'
import { Empty, LoadedItems } from '../components/states.tsx'
import { Ago } from '../components/time.tsx'
import { useForm } from '../components/use-form.ts'
import { createPasskey, hasPasskeys } from '../platform/passkeys.ts'
import { useChange, useGet } from '../platform/requests.ts'
import { passwordFirst, useHasPassword } from './password-form.tsx'

const changed = { queryKey: ['account', 'passkeys'] }

export function PasskeysSection({ level = 2 }: { level?: 2 | 3 }) {
  const passkeys = useGet('GET /account/passkeys')
  const remove = useChange('POST /account/passkeys/{passkeyId}/remove', changed)
  const hasPassword = useHasPassword()
  return (
    <Section
      level={level}
      title="Passkeys"
      actions={
        hasPasskeys() &&
        hasPassword && (
          <AddButton
            title="Add passkey"
            content={(close) => <PasskeyForm close={close} />}
            isSmall
            hasKey={false}
          />
        )
      }
    >
      <LoadedItems
        query={passkeys}
        empty={
          <Empty title="No passkeys" isFramed>
            {hasPasskeys()
              ? 'Sign in with the fingerprint, face or PIN of a device instead of your password.'
              : 'Passkeys require HTTPS and a browser that supports them.'}
            {hasPasskeys() && !hasPassword && ` ${passwordFirst}`}
          </Empty>
        }
      >
        {(items) => (
          <Records
            caption="Passkeys"
            rows={items}
            columns={[
              { title: 'Label', isHead: true, cell: ({ label }) => label },
              { title: 'Created', cell: ({ createdAt }) => <Ago time={createdAt} /> },
              {
                title: 'Last used',
                cell: ({ lastUsedAt }) => (lastUsedAt ? <Ago time={lastUsedAt} /> : 'Never'),
              },
            ]}
            actions={({ id, label }) => (
              <ConfirmButton
                label={`Remove ${label}`}
                confirmation={{
                  title: `Remove ${label}?`,
                  text: 'It can no longer be used to sign in. Delete it on the device, too.',
                  verb: 'Remove',
                  asksPassword: true,
                  act: (currentPassword) =>
                    remove.mutateAsync({ params: { passkeyId: id }, body: { currentPassword } }),
                  done: `${label} is removed.`,
                }}
              />
            )}
          />
        )}
      </LoadedItems>
    </Section>
  )
}

function PasskeyForm({ close }: { close: () => void }) {
  const start = useChange('POST /account/passkeys/options')
  const add = useChange('POST /account/passkeys', changed)
  const announce = useAnnounce()
  const { field, form } = useForm({
    initial: { label: '', currentPassword: '' },
    checks: {
      label: (value) => (value.trim() === '' ? 'Enter a label.' : undefined),
      currentPassword: checkPassword,
    },
    codes: wrongPassword,
    async send({ currentPassword, label }) {
      const options = await start.mutateAsync({ body: { currentPassword } })
      const credential = await createPasskey(options)
      const added = await add.mutateAsync({ body: { label: label.trim(), credential } })
      close()
      announce(`${added.label} is added. You can sign in with it.`)
    },
  })
  return (
    <Form close={close} verb="Add passkey" busyVerb="Confirm on your device…" {...form}>
      <TextField
        {...field('label')}
        label="Label"
        description="The device or password manager that keeps it."
        data-autofocus
      />
      <CurrentPasswordField {...field('currentPassword')} />
    </Form>
  )
}
