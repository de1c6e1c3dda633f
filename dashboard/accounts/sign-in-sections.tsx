// How the account signs in, as sections of the account page and of the page that asks for a second factor: its password,
// passkeys, codes of an authenticator app, and the identity provider.
import { Anchor, Button, Group, Stack, Text } from '@mantine/core'
import encodeQr from 'qr'
import { useState } from 'react'
import type { Answer } from '../../client/management-client.ts'
import {
  AddButton,
  ConfirmButton,
  ConfirmForm,
  DialogButton,
  ShownOnce,
} from '../components/actions.tsx'
import { CopyValue } from '../components/copy.tsx'
import {
  CodeField,
  CurrentPasswordField,
  Form,
  NewPasswordField,
  TextField,
  useForm,
} from '../components/form.tsx'
import { Empty, Loaded, Loading, Page, Section } from '../components/page.tsx'
import { LoadedRecords, timeColumn } from '../components/records.tsx'
import { Note, StateBadge } from '../components/values.tsx'
import { counted, onDay } from '../platform/formats.ts'
import { useAccount, useChange, useGet } from '../platform/requests.ts'
import { createPasskey, hasPasskeys, openProvider, signOut } from '../platform/session.ts'

/** Whether the account has a password; true until that is known. */
export const useHasPassword = (): boolean =>
  useGet('GET /account/identities').data?.hasPassword ?? true

/** What those without a password are told where it is requested for a change. */
const passwordFirst = 'Set a password first.'

/** Changes the password with the current one, or sets one for an account that has none. Signs out all other sessions. */
export function PasswordForm() {
  const { email } = useAccount()
  const hasPassword = useHasPassword()
  const changed = [{ queryKey: ['account', 'sessions'] }, { queryKey: ['account', 'identities'] }]
  const change = useChange('PUT /account/password', changed)
  const setFirst = useChange('POST /account/password', changed)
  const { field, form, set, values } = useForm({
    initial: { currentPassword: '', newPassword: '' },
    async send(body) {
      const { newPassword } = body
      if (hasPassword) await change.mutateAsync({ body })
      else await setFirst.mutateAsync({ body: { newPassword } })
      set({ currentPassword: '', newPassword: '' })
      return hasPassword ? 'changed' : 'set'
    },
    done: (verb) => `Your password is ${verb}. All other sessions are signed out.`,
  })
  const isEmpty = hasPassword && values.currentPassword === ''
  return (
    <Stack gap="sm">
      {!hasPassword && (
        // The account was created by the identity provider.
        <Text size="sm">
          Your account has no password. Set one to add passkeys and an authenticator app, or to sign
          in without the identity provider.
        </Text>
      )}
      <Form
        {...form}
        label="Password"
        verb={hasPassword ? 'Change password' : 'Set password'}
        isDisabled={isEmpty || values.newPassword === ''}
      >
        {/* For password managers: the account of the password. */}
        <input type="text" hidden readOnly autoComplete="username" value={email} />
        {hasPassword && <CurrentPasswordField {...field('currentPassword')} />}
        <NewPasswordField {...field('newPassword')} label="New password" />
      </Form>
    </Stack>
  )
}

/** Passkeys: signing in with a device instead of a password. */
export function PasskeysSection({ level = 2 }: { level?: 2 | 3 }) {
  const passkeys = useGet('GET /account/passkeys')
  const remove = useChange('POST /account/passkeys/{passkeyId}/remove')
  const hasPassword = useHasPassword()
  return (
    <Section
      level={level}
      title="Passkeys"
      actions={
        hasPasskeys() &&
        hasPassword && (
          <AddButton title="Add passkey" content={<PasskeyForm />} isSmall hasKey={false} />
        )
      }
    >
      <LoadedRecords
        query={passkeys}
        empty={
          <Empty title="No passkeys" isFramed>
            {hasPasskeys()
              ? 'Sign in with the fingerprint, face or PIN of a device instead of your password.'
              : 'Passkeys require HTTPS and a browser that supports them.'}
            {hasPasskeys() && !hasPassword && ` ${passwordFirst}`}
          </Empty>
        }
        caption="Passkeys"
        columns={[
          { title: 'Label', isHead: true, cell: ({ label }) => label },
          timeColumn('Created', 'createdAt'),
          timeColumn('Last used', 'lastUsedAt'),
        ]}
        actions={({ id, label }) => (
          <ConfirmButton
            label={`Remove ${label}`}
            title={`Remove ${label}?`}
            text="It can no longer be used to sign in. Delete it on the device, too."
            verb="Remove"
            asksPassword
            act={(currentPassword) =>
              remove.mutateAsync({ params: { passkeyId: id }, body: { currentPassword } })
            }
            done={`${label} is removed.`}
          />
        )}
      />
    </Section>
  )
}

function PasskeyForm() {
  const start = useChange('POST /account/passkeys/options')
  const add = useChange('POST /account/passkeys')
  const { field, form } = useForm({
    initial: { label: '', currentPassword: '' },
    checks: { label: (value) => (value.trim() === '' ? 'Enter a label.' : undefined) },
    async send({ currentPassword, label }) {
      const options = await start.mutateAsync({ body: { currentPassword } })
      const credential = await createPasskey(options)
      return await add.mutateAsync({ body: { label: label.trim(), credential } })
    },
    done: ({ label }) => `${label} is added. You can sign in with it.`,
  })
  return (
    <Form verb="Add passkey" busyVerb="Confirm on your device…" {...form}>
      <TextField {...field('label', 'Label', 'The device or password manager that keeps it.')} />
      <CurrentPasswordField {...field('currentPassword')} />
    </Form>
  )
}

const quietZone = 4
const pixels = 200

/** A QR code, dark on light in both themes, as cameras need it. Throws for more than 2,331 bytes. */
function QrImage({ label, text }: { label: string; text: string }) {
  const modules = encodeQr(text, 'raw', { ecc: 'medium', border: quietZone })
  const size = modules.length
  const path = modules.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])),
  )
  return (
    <svg
      role="img"
      aria-label={label}
      width={pixels}
      height={pixels}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} rx="2" fill="#fff" />
      <path d={path.join('')} fill="#000" />
    </svg>
  )
}

interface FirstCodeProps {
  setUp: Answer<'POST /account/second-factor/set-up'>
  onConfirmed: (codes: string[]) => void
}

const fewCodes = 3

/** Two-factor authentication: codes of an authenticator app, and recovery codes. */
export function SecondFactorSection({ level = 2 }: { level?: 2 | 3 }) {
  const factor = useGet('GET /account/second-factor')
  return (
    <Section level={level} title="Two-factor authentication" isFramed>
      <Loaded query={factor} loading={<Loading rows={1} height={64} />}>
        {(state) => <SecondFactor {...state} />}
      </Loaded>
    </Section>
  )
}

function SecondFactor({ isOn, recoveryCodesLeft, since }: Answer<'GET /account/second-factor'>) {
  const hasPassword = useHasPassword()
  const remove = useChange('POST /account/second-factor/remove')
  return (
    <Stack gap="sm" align="flex-start">
      <Group gap="xs">
        <Text fw={600}>Authenticator app</Text>
        <StateBadge tone={isOn ? 'success' : 'neutral'}>{isOn ? 'On' : 'Off'}</StateBadge>
        {since && <Note>since {onDay(since)}</Note>}
      </Group>
      <Text size="sm" maw={560}>
        {isOn
          ? `${counted(recoveryCodesLeft, 'recovery code')} left.`
          : 'Signing in with your password then also requires a code of an app on your phone. A stolen password alone is not enough.'}
        {isOn && recoveryCodesLeft < fewCodes && ' Create new ones before you need them.'}
        {!isOn && !hasPassword && ` ${passwordFirst}`}
      </Text>
      {!isOn && hasPassword && (
        <DialogButton
          variant="default"
          label="Turn on"
          title="Turn on two-factor authentication"
          content={<SetUp />}
        />
      )}
      {isOn && (
        <Group gap="xs">
          <DialogButton
            variant="default"
            label="New recovery codes"
            title="Create new recovery codes"
            content={<NewRecoveryCodes />}
          />
          <ConfirmButton
            size="sm"
            color="red"
            title="Turn off two-factor authentication?"
            text="Your password alone is then enough to sign in. Your recovery codes stop working."
            verb="Turn off"
            asksPassword
            act={(currentPassword) => remove.mutateAsync({ body: { currentPassword } })}
            done="Two-factor authentication is off."
          />
        </Group>
      )}
    </Stack>
  )
}

/** Password, then the secret and a first code, then the recovery codes. */
function SetUp() {
  const [setUp, setSetUp] = useState<FirstCodeProps['setUp']>()
  const [codes, setCodes] = useState<string[]>()
  const start = useChange('POST /account/second-factor/set-up')
  if (codes) return <RecoveryCodes codes={codes} />
  if (setUp) return <FirstCode setUp={setUp} onConfirmed={setCodes} />
  return (
    <ConfirmForm
      asksPassword
      verb="Continue"
      text="You need an authenticator app such as Google Authenticator, 1Password or Aegis."
      act={async (currentPassword) =>
        setSetUp(await start.mutateAsync({ body: { currentPassword } }))
      }
    />
  )
}

function FirstCode({ onConfirmed, setUp }: FirstCodeProps) {
  const confirm = useChange('POST /account/second-factor/confirm')
  const { field, form } = useForm({
    initial: { code: '' },
    codes: {
      invalid_code: {
        field: 'code',
        message: 'Incorrect code. Check the clock of your phone and enter the current code.',
      },
    },
    async send({ code }) {
      onConfirmed((await confirm.mutateAsync({ body: { code: code.trim() } })).recoveryCodes)
    },
  })
  return (
    <Form verb="Turn on" {...form}>
      <Text>
        Scan this code with the app. On this device you can also{' '}
        <Anchor href={setUp.uri}>open it in the app</Anchor>.
      </Text>
      <QrImage label="QR code of the key" text={setUp.uri} />
      <Note>Or type the key, for time-based codes:</Note>
      <CopyValue value={setUp.secret.replaceAll(/(.{4})(?=.)/g, '$1 ')} what="the key" />
      <CodeField
        {...field('code')}
        description="The six digits that the app shows now."
        inputMode="numeric"
        autoFocus
      />
    </Form>
  )
}

function NewRecoveryCodes() {
  const create = useChange('POST /account/second-factor/recovery-codes')
  if (create.data) return <RecoveryCodes codes={create.data.recoveryCodes} />
  return (
    <ConfirmForm
      asksPassword
      verb="Create codes"
      text="The recovery codes that you have stop working."
      act={(currentPassword) => create.mutateAsync({ body: { currentPassword } })}
    />
  )
}

function RecoveryCodes({ codes }: { codes: string[] }) {
  return (
    <ShownOnce what="recovery codes" secret={codes.join('\n')}>
      Keep them where you keep passwords. Each works once, when you do not have your phone.
    </ShownOnce>
  )
}

/** Identities at the identity provider. Without a provider and identities there is nothing to show. */
export function IdentitiesSection() {
  const identities = useGet('GET /account/identities')
  const remove = useChange('DELETE /account/identities/{identityId}')
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
            content={<ConnectForm provider={provider} />}
            isSmall
            hasKey={false}
          />
        )
      }
    >
      <LoadedRecords
        query={identities}
        empty={
          <Empty title="Not connected" isFramed>
            Connect {provider} to sign in with it instead of your password.
          </Empty>
        }
        caption="Identities"
        columns={[
          { title: 'Identity', isHead: true, cell: ({ email }) => email ?? 'Without an email' },
          {
            title: 'Issuer',
            isMinor: true,
            cell: ({ issuer }) => <Text size="sm">{shortened(issuer)}</Text>,
          },
          timeColumn('Connected', 'createdAt'),
          timeColumn('Last used', 'lastUsedAt'),
        ]}
        actions={({ email, id, issuer }) => (
          <ConfirmButton
            label={`Remove ${email ?? issuer}`}
            title={`Remove ${email ?? issuer}?`}
            text="It can no longer be used to sign in. Sessions that it has started stay signed in."
            verb="Remove"
            act={() => remove.mutateAsync({ params: { identityId: id } })}
            done={`${email ?? issuer} is removed.`}
          />
        )}
      />
    </Section>
  )
}

const shortened = (issuer: string): string => issuer.replace(/^https:\/\//, '')

function ConnectForm({ provider }: { provider: string }) {
  const start = useChange('POST /account/identities/start')
  return (
    <ConfirmForm
      asksPassword
      verb="Continue"
      busyVerb={`Opening ${provider}…`}
      text={`You sign in at ${provider}, which then brings you back here.`}
      act={async (currentPassword) => {
        const { url } = await start.mutateAsync({ body: { currentPassword } })
        await openProvider(url)
      }}
    />
  )
}

/** What is shown instead of every page while the operator requires a second factor that the session has not proven. */
export function MissingFactor() {
  const isOn = useGet('GET /account/second-factor').data?.isOn ?? false
  const hasPasskey = (useGet('GET /account/passkeys').data?.items.length ?? 0) > 0
  const hasPassword = useHasPassword()
  return (
    <Page
      title="Add a second factor"
      lead="This installation requires one. Add a passkey or an authenticator app, then continue."
    >
      <Stack gap="xl">
        {!hasPassword && (
          <Section title="Password" isFramed>
            <Stack maw={440}>
              <PasswordForm />
            </Stack>
          </Section>
        )}
        <PasskeysSection />
        <SecondFactorSection />
        {(isOn || hasPasskey) && (
          <Text>If you added it in another session, sign out and sign in with it here.</Text>
        )}
        <Group gap="xs">
          <Button
            variant="filled"
            disabled={!isOn && !hasPasskey}
            onClick={() => location.reload()}
          >
            Continue
          </Button>
          <Button onClick={() => void signOut()}>Sign out</Button>
        </Group>
      </Stack>
    </Page>
  )
}
