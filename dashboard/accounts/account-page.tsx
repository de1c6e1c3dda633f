// Account: profile, password and sign-in, sessions, access tokens, appearance.
import { Alert, Group, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { Answer, CallInput } from '../../client/management-client.ts'
import { ActionButton, AddButton, ConfirmButton, ShownOnce } from '../components/actions.tsx'
import { CopyBlock } from '../components/copy.tsx'
import {
  CurrentPasswordField,
  checkName,
  EmailField,
  Form,
  SelectField,
  TextField,
  useForm,
} from '../components/form.tsx'
import { Choices } from '../components/inputs.tsx'
import { Empty, Loading, Page, Section } from '../components/page.tsx'
import { SettingsParts } from '../components/parts.tsx'
import { LoadedRecords, TokenRecords, timeColumn, tokenLifetimes } from '../components/records.tsx'
import { Ago, Note, PageLink, StateBadge } from '../components/values.tsx'
import { accountQuery, useAccount, useChange, useGet } from '../platform/requests.ts'
import type { Account } from '../platform/session.ts'
import { Appearance } from '../shell/navigation.tsx'
import { signInMethods } from './sign-in-methods.ts'
import {
  IdentitiesSection,
  PasskeysSection,
  PasswordForm,
  SecondFactorSection,
} from './sign-in-sections.tsx'

const confirmationQuery = { queryKey: ['account', 'email-confirmation'] }

/** Whether the account's email address is confirmed, and the address that it changes to. `email` is the saved address. */
function EmailConfirmation({ email }: { email: string }) {
  const { role } = useAccount()
  const { data } = useGet('GET /account/email-confirmation')
  const send = useChange('POST /account/email-confirmation')
  const cancel = useChange('DELETE /account/email-change', [confirmationQuery])
  if (!data) return null
  const { canSend, confirmedAt, pendingEmail, sentAt } = data
  if (pendingEmail !== null) {
    return (
      <Alert color="yellow" title="New email address not confirmed">
        <Text size="sm">
          Open the link that was sent to {pendingEmail} to change your email address. Until then you
          sign in with {email}.
        </Text>
        <Group mt="xs">
          <ActionButton
            act={() => cancel.mutateAsync({})}
            done={`Your email address stays ${email}.`}
          >
            Cancel change
          </ActionButton>
        </Group>
      </Alert>
    )
  }
  if (confirmedAt !== null) {
    return (
      <Note>
        Email address confirmed <Ago time={confirmedAt} />.
      </Note>
    )
  }
  return (
    <Alert color="yellow" title="Email address not confirmed">
      <Text size="sm">
        {noticesOf(data, role)}
        {sentAt !== null && (
          <>
            {' '}
            A link was sent <Ago time={sentAt} />.
          </>
        )}
      </Text>
      {canSend && (
        <Group mt="xs">
          <ActionButton act={() => send.mutateAsync({})} done={`A link was sent to ${email}.`}>
            Send confirmation link
          </ActionButton>
        </Group>
      )}
    </Alert>
  )
}

/** What follows from an address that is not confirmed. */
function noticesOf(
  { canSend, sentAt }: Answer<'GET /account/email-confirmation'>,
  role: Account['role'],
): string {
  const notices = 'Notices about your domains are sent to confirmed addresses only.'
  if (sentAt !== null || canSend) return notices
  const todo = role === 'operator' ? 'set SMTP_URL and restart it' : 'ask an operator'
  return `${notices} This server cannot send mail: ${todo}.`
}

export function Component() {
  const account = useAccount()
  const confirmation = useGet('GET /account/email-confirmation')
  return (
    <Page title="Account" lead={leadOf(account)}>
      {/* Its height is known only then, and nothing moves what is below it. */}
      {confirmation.isPending ? (
        <Loading rows={3} height={200} />
      ) : (
        <SettingsParts label="Account" parts={parts}>
          <Section
            id="profile"
            title={parts.profile}
            lead="Your name as others see it, and where mail is sent."
            isFramed
          >
            <Stack maw={440}>
              <ProfileForm />
              <EmailConfirmation email={account.email} />
            </Stack>
          </Section>
          <Section
            id="sign-in"
            title={parts['sign-in']}
            lead="How you prove who you are. A passkey or a second factor protects you when a password is stolen."
          >
            <Stack gap="lg">
              <Section level={3} title="Password" isFramed>
                <Stack maw={440}>
                  <PasswordForm />
                </Stack>
              </Section>
              <PasskeysSection level={3} />
              <SecondFactorSection level={3} />
              <IdentitiesSection />
            </Stack>
          </Section>
          <SessionsSection />
          <TokensSection />
          <Section
            id="appearance"
            title={parts.appearance}
            lead="For this browser. System follows the device."
            isFramed
          >
            <Stack maw={440}>
              <Appearance />
            </Stack>
          </Section>
        </SettingsParts>
      )}
    </Page>
  )
}

const leadOf = ({ email, plan, role }: Account): string =>
  role === 'operator'
    ? `You are signed in as ${email}, an operator: you can see and change everything.`
    : `You are signed in as ${email}, a member on the ${plan} plan. An operator can change that.`

const parts = {
  profile: 'Profile',
  'sign-in': 'Password and sign-in',
  sessions: 'Sessions',
  tokens: 'Access tokens',
  appearance: 'Appearance',
}

/** A change of the email address requires the password, and takes effect when the new one is confirmed. */
function ProfileForm() {
  const account = useAccount()
  const change = useChange('PATCH /account', [confirmationQuery])
  const client = useQueryClient()
  const { field, form, set, values } = useForm({
    initial: { name: account.name, email: account.email, currentPassword: '' },
    labels: { name: 'Name', email: 'Email' },
    checks: { name: checkName(100) },
    codes: {
      // Without a mail server, or with one that does not accept the mail.
      conflict: { field: 'email' },
      unavailable: { field: 'email' },
    },
    async send({ currentPassword, email, name }) {
      const saved = await change.mutateAsync({
        body: {
          ...(name !== account.name && { name }),
          ...(email !== account.email && { email, currentPassword }),
        },
      })
      client.setQueryData(accountQuery.queryKey, saved)
      set({ name: saved.name, email: saved.email, currentPassword: '' })
      return saved.email === email
        ? 'Your profile is saved.'
        : `A link was sent to ${email}. Open it to change your email address.`
    },
    done: (text) => text,
  })
  const isOtherEmail = values.email !== account.email
  return (
    <Form {...form} label="Profile" verb="Save">
      <TextField {...field('name')} label="Name" autoComplete="name" />
      <EmailField {...field('email')} />
      {isOtherEmail && (
        <CurrentPasswordField
          {...field('currentPassword')}
          description="Required to change the email address."
        />
      )}
    </Form>
  )
}

/** The browsers in which the account is signed in. */
function SessionsSection() {
  const sessions = useGet('GET /account/sessions')
  const endOthers = useChange('DELETE /account/sessions')
  const end = useChange('DELETE /account/sessions/{sessionId}')
  const hasOthers = sessions.data?.items.some(({ isCurrent }) => !isCurrent) ?? false
  return (
    <Section
      id="sessions"
      title="Sessions"
      lead={
        <>
          Browsers that are signed in. Sign out those that you do not know, and change your
          password. <PageLink to="/account/activity">Show activity</PageLink>
        </>
      }
      actions={
        hasOthers && (
          <ConfirmButton
            title="Sign out all other sessions?"
            text="All other browsers must sign in again. Access tokens keep working."
            verb="Sign out all others"
            act={() => endOthers.mutateAsync({})}
            done="All other sessions are signed out."
          />
        )
      }
    >
      <LoadedRecords
        query={sessions}
        caption="Sessions"
        columns={[
          {
            title: 'Browser',
            isHead: true,
            cell: ({ isCurrent, userAgent }) => (
              <Group gap={6}>
                <span title={userAgent}>{browserOf(userAgent)}</span>
                {isCurrent && <StateBadge tone="success">This one</StateBadge>}
              </Group>
            ),
          },
          { title: 'Address', isMinor: true, cell: ({ address }) => address },
          {
            title: 'Signed in',
            cell: ({ createdAt, signedInBy }) => (
              <>
                <Ago time={createdAt} />
                <Note>{signInMethods[signedInBy]}</Note>
              </>
            ),
          },
          timeColumn('Last used', 'seenAt'),
        ]}
        actions={({ id, isCurrent, userAgent }) =>
          !isCurrent && (
            <ActionButton
              label={`Sign out ${browserOf(userAgent)}`}
              act={() => end.mutateAsync({ params: { sessionId: id } })}
              done="The session is signed out."
            >
              Sign out
            </ActionButton>
          )
        }
      />
    </Section>
  )
}

const browsers: [RegExp, string][] = [
  [/\bEdg\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\//, 'Firefox'],
  [/\bHeadlessChrome\/|\bChrome\//, 'Chrome'],
  [/\bVersion\/.*Safari\//, 'Safari'],
]
const systems: [RegExp, string][] = [
  [/\bAndroid\b/, 'Android'],
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
]

/** `Firefox on Linux`; an unknown user agent as it is. */
function browserOf(userAgent: string): string {
  const browser = browsers.find(([pattern]) => pattern.test(userAgent))?.[1]
  const system = systems.find(([pattern]) => pattern.test(userAgent))?.[1]
  if (browser && system) return `${browser} on ${system}`
  return browser ?? (userAgent === '' ? 'Unknown browser' : userAgent.slice(0, 60))
}

type AccessToken = Answer<'GET /account/tokens'>['items'][number]
type TokenScope = NonNullable<CallInput<'POST /account/tokens'>['body']['scopes']>[number]

/** Access tokens, with which programs act as the account. */
function TokensSection() {
  const tokens = useGet('GET /account/tokens')
  const revoke = useChange('DELETE /account/tokens/{tokenId}')
  const revokeAll = useChange('DELETE /account/tokens')
  return (
    <Section
      id="tokens"
      title="Access tokens"
      lead="For the command line and your programs. A token acts as your account, within its scopes."
      actions={
        <Group gap={8}>
          {(tokens.data?.items.length ?? 0) > 1 && (
            <ConfirmButton
              title="Revoke all access tokens?"
              text="Programs that use them are refused from their next request on."
              verb="Revoke all"
              act={() => revokeAll.mutateAsync({})}
              done="All access tokens are revoked."
            />
          )}
          <AddButton
            title="Create access token"
            label="Create token"
            content={<TokenForm />}
            isSmall
          />
        </Group>
      }
    >
      <TokenRecords
        query={tokens}
        empty={
          <Empty title="No access tokens" isFramed>
            Create one for the command line. For CI, create a deploy token in the settings of the
            project.
          </Empty>
        }
        caption="Access tokens"
        columns={[
          { title: 'Scopes', isMinor: true, cell: ({ scopes }) => scopes.join(', ') },
          { title: 'Project', isMinor: true, cell: (token) => <TokenProject token={token} /> },
        ]}
        revoke={(tokenId) => revoke.mutateAsync({ params: { tokenId } })}
        revoked="Programs that use it are refused from their next request on."
      />
    </Section>
  )
}

/** A personal access token works for all projects of its account. */
function TokenProject({ token: { project, scopes } }: { token: AccessToken }) {
  if (project) {
    return <PageLink to={`/projects/${project.slug}/settings/tokens`}>{project.name}</PageLink>
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

function TokenForm() {
  const { role } = useAccount()
  const create = useChange('POST /account/tokens')
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
      <ShownOnce what="access token" secret={create.data.token}>
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
    <Form verb="Create token" {...form}>
      <TextField {...field('label', 'Name', 'The machine or program that uses it.')} />
      <Choices {...field('scopes', 'Scopes')} titles={titles} />
      <SelectField {...field('expiresInDays', 'Expires')} data={tokenLifetimes} />
    </Form>
  )
}
