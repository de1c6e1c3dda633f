// Passkeys of the account: signing in with a device instead of a password.
import { Button } from '@mantine/core'
import type { Answer } from '../../client/management-client.ts'
import { useAnnounce } from '../components/announcements.tsx'
import { useDialog } from '../components/dialog.tsx'
import { PasswordField, TextField } from '../components/fields.tsx'
import { Form } from '../components/form.tsx'
import { PlusIcon } from '../components/icons.tsx'
import { Section } from '../components/page.tsx'
import { Records } from '../components/records.tsx'
import { Empty, LoadedItems } from '../components/states.tsx'
import { Ago } from '../components/time.tsx'
import { useForm } from '../components/use-form.ts'
import { createPasskey, hasPasskeys } from '../platform/passkeys.ts'
import { useChange, useGet } from '../platform/requests.ts'
import { passwordFirst, useHasPassword } from './password-form.tsx'
import { ConfirmByPassword } from './second-factor-section.tsx'

type Passkey = Answer<'GET /account/passkeys'>['items'][number]

const changed = { queryKey: ['account', 'passkeys'] }

export function PasskeysSection({ level = 2 }: { level?: 2 | 3 }) {
  const passkeys = useGet('GET /account/passkeys')
  const hasPassword = useHasPassword()
  const open = useDialog()
  return (
    <Section
      level={level}
      title="Passkeys"
      actions={
        hasPasskeys() &&
        hasPassword && (
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<PlusIcon size={16} />}
            onClick={() =>
              open({ title: 'Add passkey', content: (close) => <PasskeyForm close={close} /> })
            }
          >
            Add passkey
          </Button>
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
            actions={(passkey) => (
              <Button
                size="compact-sm"
                variant="default"
                aria-label={`Remove ${passkey.label}`}
                onClick={() =>
                  open({
                    title: `Remove ${passkey.label}?`,
                    content: (close) => <Removal passkey={passkey} close={close} />,
                  })
                }
              >
                Remove
              </Button>
            )}
          />
        )}
      </LoadedItems>
    </Section>
  )
}

function Removal({ close, passkey: { id, label } }: { passkey: Passkey; close: () => void }) {
  const remove = useChange('POST /account/passkeys/{passkeyId}/remove', changed)
  const announce = useAnnounce()
  return (
    <ConfirmByPassword
      close={close}
      verb="Remove"
      isDestructive
      text="It can no longer be used to sign in. Delete it on the device, too."
      send={async (currentPassword) => {
        await remove.mutateAsync({ params: { passkeyId: id }, body: { currentPassword } })
        close()
        announce(`${label} is removed.`)
      }}
    />
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
      currentPassword: (value) => (value === '' ? 'Enter your password.' : undefined),
    },
    codes: { invalid_credentials: { field: 'currentPassword', message: 'Incorrect password.' } },
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
      <PasswordField
        {...field('currentPassword')}
        label="Current password"
        autoComplete="current-password"
      />
    </Form>
  )
}
