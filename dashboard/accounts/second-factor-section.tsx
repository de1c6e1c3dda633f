// Two-factor authentication: codes of an authenticator app, and recovery codes.
import { Anchor, Button, Group, Paper, Stack, Text } from '@mantine/core'
import encodeQr from 'qr'
import { useState } from 'react'
import type { Answer } from '../../client/management-client.ts'
import { CodeField, checkCode } from '../components/code-field.tsx'
import { CopyValue } from '../components/copy.tsx'
import { ConfirmForm, useConfirm, useDialog } from '../components/dialog.tsx'
import { Form } from '../components/form.tsx'
import { Section } from '../components/page.tsx'
import { ShownOnce } from '../components/shown-once.tsx'
import { StateBadge } from '../components/state-badge.tsx'
import { Loaded, Loading } from '../components/states.tsx'
import { useForm } from '../components/use-form.ts'
import { useChange, useGet } from '../platform/requests.ts'
import { onDay } from '../platform/times.ts'
import { useHasPassword } from './password-form.tsx'

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

type CodeSetUp = Answer<'POST /account/second-factor/set-up'>

const changed = { queryKey: ['account', 'second-factor'] }
const fewCodes = 3

export function SecondFactorSection({ level = 2 }: { level?: 2 | 3 }) {
  const factor = useGet('GET /account/second-factor')
  return (
    <Section level={level} title="Two-factor authentication">
      <Paper withBorder p="md">
        <Loaded query={factor} loading={<Loading rows={1} height={64} />}>
          {(state) => (state.isOn ? <TurnedOn {...state} /> : <TurnedOff />)}
        </Loaded>
      </Paper>
    </Section>
  )
}

function TurnedOff() {
  const hasPassword = useHasPassword()
  const open = useDialog()
  return (
    <Stack gap="sm" align="flex-start">
      <Group gap="xs">
        <Text fw={600}>Authenticator app</Text>
        <StateBadge tone="neutral">Off</StateBadge>
      </Group>
      <Text size="sm" maw={560}>
        Signing in with your password then also requires a code of an app on your phone. A stolen
        password alone is not enough.{!hasPassword && ' Set a password first.'}
      </Text>
      {hasPassword && (
        <Button
          variant="default"
          onClick={() =>
            open({
              title: 'Turn on two-factor authentication',
              content: (close) => <SetUp close={close} />,
            })
          }
        >
          Turn on
        </Button>
      )}
    </Stack>
  )
}

function TurnedOn({
  recoveryCodesLeft,
  since,
}: {
  since: string | null
  recoveryCodesLeft: number
}) {
  const remove = useChange('POST /account/second-factor/remove', changed)
  const open = useDialog()
  const confirm = useConfirm()
  return (
    <Stack gap="sm" align="flex-start">
      <Group gap="xs">
        <Text fw={600}>Authenticator app</Text>
        <StateBadge tone="success">On</StateBadge>
        {since && (
          <Text size="sm" c="dimmed">
            since {onDay(since)}
          </Text>
        )}
      </Group>
      <Text size="sm" maw={560}>
        {recoveryCodesLeft === 1 ? '1 recovery code' : `${recoveryCodesLeft} recovery codes`} left.
        {recoveryCodesLeft < fewCodes && ' Create new ones before you need them.'}
      </Text>
      <Group gap="xs">
        <Button
          variant="default"
          onClick={() =>
            open({
              title: 'Create new recovery codes',
              content: (close) => <NewRecoveryCodes close={close} />,
            })
          }
        >
          New recovery codes
        </Button>
        <Button
          variant="default"
          color="red"
          onClick={() =>
            confirm({
              title: 'Turn off two-factor authentication?',
              text: 'Your password alone is then enough to sign in. Your recovery codes stop working.',
              verb: 'Turn off',
              asksPassword: true,
              act: (currentPassword) => remove.mutateAsync({ body: { currentPassword } }),
              done: 'Two-factor authentication is off.',
            })
          }
        >
          Turn off
        </Button>
      </Group>
    </Stack>
  )
}

/** Password, then the secret and a first code, then the recovery codes. */
function SetUp({ close }: { close: () => void }) {
  const [setUp, setSetUp] = useState<CodeSetUp>()
  const [codes, setCodes] = useState<string[]>()
  const start = useChange('POST /account/second-factor/set-up')
  if (codes) return <RecoveryCodes codes={codes} close={close} />
  if (setUp) return <FirstCode setUp={setUp} close={close} onConfirmed={setCodes} />
  return (
    <ConfirmForm
      close={close}
      asksPassword
      isDestructive={false}
      verb="Continue"
      text="You need an authenticator app such as Google Authenticator, 1Password or Aegis."
      act={async (currentPassword) =>
        setSetUp(await start.mutateAsync({ body: { currentPassword } }))
      }
    />
  )
}

function FirstCode({
  close,
  onConfirmed,
  setUp,
}: {
  setUp: CodeSetUp
  close: () => void
  onConfirmed: (codes: string[]) => void
}) {
  const confirm = useChange('POST /account/second-factor/confirm', changed)
  const { field, form } = useForm({
    initial: { code: '' },
    checks: { code: checkCode },
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
    <Form close={close} verb="Turn on" {...form}>
      <Text>
        Scan this code with the app. On this device you can also{' '}
        <Anchor href={setUp.uri}>open it in the app</Anchor>.
      </Text>
      <QrImage label="QR code of the key" text={setUp.uri} />
      <Text size="sm" c="dimmed">
        Or type the key, for time-based codes:
      </Text>
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

function NewRecoveryCodes({ close }: { close: () => void }) {
  const create = useChange('POST /account/second-factor/recovery-codes', changed)
  if (create.data) return <RecoveryCodes codes={create.data.recoveryCodes} close={close} />
  return (
    <ConfirmForm
      close={close}
      asksPassword
      isDestructive={false}
      verb="Create codes"
      text="The recovery codes that you have stop working."
      act={(currentPassword) => create.mutateAsync({ body: { currentPassword } })}
    />
  )
}

function RecoveryCodes({ close, codes }: { codes: string[]; close: () => void }) {
  return (
    <ShownOnce what="recovery codes" secret={codes.join('\n')} close={close}>
      Keep them where you keep passwords. Each works once, when you do not have your phone.
    </ShownOnce>
  )
}
