// The wire shapes of accounts, their sessions, access tokens, one-time links and passkeys, and how the stored ones become
// these. Times are RFC 3339. Those of passkeys are the JSON forms of WebAuthn Level 3.
import { type Static, Type } from 'typebox'
import { grantedScopes, plans, roles, tokenScopes } from '#kit/caller.ts'
import {
  line,
  listOf,
  nullable,
  pageLimit,
  pageOf,
  plainText,
  type Sent,
  text,
  toWire,
  words,
} from '#kit/schema/described-schema.ts'
import { maxPasswordLength, minPasswordLength } from '../../../client/values/limits.ts'

const role = words(roles, 'Role of the account.')
const plan = words(plans, 'Operators are always on paid.')
const email = text(254, 'E-mail address.', 1)
const name = line(100, 'Name of the owner.')
export const time = (description: string) => Type.String({ format: 'date-time', description })
/** Of a password that is chosen. */
export const passwordLength = { minLength: minPasswordLength, maxLength: maxPasswordLength }
// Whatever is sent, so that a wrong one is refused as wrong.
export const password = text(1024, 'The password.', 1)
const newPassword = {
  ...password,
  ...passwordLength,
  description: '12 to 256 characters. Very common passwords and the e-mail address are refused.',
}
const linkToken = text(100, 'The part of the link after the #.', 1)

export const Account = Type.Object(
  { id: Type.String(), email, name, role, plan, createdAt: time('Creation time.') },
  { $id: 'Account', description: 'A user account.' },
)
export type Account = Static<typeof Account>

export const EmailConfirmation = Type.Object(
  {
    email,
    confirmedAt: nullable(time('Time of confirmation.'), 'Null until the link was used.'),
    sentAt: nullable(time('Time of the last link.'), 'Null before the first one.'),
    pendingEmail: nullable(email, 'The address that the account changes to when it is confirmed.'),
    canSend: Type.Boolean({ description: 'Whether this server has a mail server.' }),
  },
  {
    $id: 'EmailConfirmation',
    description: 'Whether the account receives notices: only confirmed addresses do.',
  },
)

export const AccountPatch = Type.Object(
  {
    name: Type.Optional(name),
    email: Type.Optional(email),
    currentPassword: Type.Optional({
      ...password,
      description: 'Required to change the e-mail address.',
    }),
  },
  { $id: 'AccountPatch', description: 'Changes to the current account.' },
)

const codeText = 'A one-time code of the authenticator app, or a recovery code.'
const code = text(40, codeText, 1)
const secondFactor = Type.Optional({
  ...code,
  description: `${codeText} Required if the account has them.`,
})

export const SignIn = Type.Object({ email, password, code: secondFactor }, { $id: 'SignIn' })

export const PasswordChange = Type.Object(
  { currentPassword: password, newPassword },
  { $id: 'PasswordChange' },
)

export const NewAccount = Type.Object(
  { token: linkToken, email, name, password: newPassword },
  { $id: 'NewAccount', description: 'The account to create.' },
)

export const PasswordByLink = Type.Object(
  {
    token: linkToken,
    password: newPassword,
    code: secondFactor,
    revokeTokens: Type.Optional(
      Type.Boolean({
        description: 'Revokes all access tokens of the account, too. Default: true.',
      }),
    ),
  },
  { $id: 'PasswordByLink' },
)

export const LinkToken = Type.Object({ token: linkToken }, { $id: 'LinkToken' })

const linkKinds = ['set_up', 'invitation', 'password'] as const
export type LinkKind = (typeof linkKinds)[number]

export const Link = Type.Object(
  {
    kind: words(linkKinds, 'Purpose of the link.'),
    email: nullable(
      Type.String(),
      'Required e-mail address of the account; null if any is allowed.',
    ),
    expiresAt: time('Expiry time.'),
  },
  { $id: 'Link', description: 'A valid one-time link.' },
)

export const IssuedLink = Type.Object(
  {
    link: Type.String({ format: 'uri', description: 'Works once. It is not shown again.' }),
    expiresAt: time('Expiry time.'),
  },
  { $id: 'IssuedLink' },
)

const signInMethods = [
  'password',
  'password_code',
  'password_recovery_code',
  'link',
  'passkey',
  'provider',
  'provider_mfa',
  'provider_code',
  'provider_recovery_code',
] as const
export type SignInMethod = (typeof signInMethods)[number]

export const Session = Type.Object(
  {
    id: Type.String(),
    address: Type.String({ description: 'IP address of the client that signed in.' }),
    userAgent: Type.String({ description: 'User-Agent of the client that signed in.' }),
    signedInBy: words(signInMethods, 'How it was started.'),
    createdAt: time('Sign-in time.'),
    seenAt: time('Time of last use, accurate to five minutes.'),
    expiresAt: time('Expiry time, extended by use.'),
    isCurrent: Type.Boolean({ description: 'Whether this is the session of the request.' }),
  },
  { $id: 'Session', description: 'An active session.' },
)
export type Session = Static<typeof Session>

export const Sessions = listOf(Session, 'Sessions', 'Most recently used first.', 50)

const scopes = Type.Array(words(tokenScopes), {
  minItems: 1,
  maxItems: tokenScopes.length,
  uniqueItems: true,
  description: 'Scopes of the token.',
})

export const tokenFields = {
  id: Type.String(),
  label: line(100, 'Label chosen by the owner.'),
  scopes: Type.Array(words(grantedScopes), {
    maxItems: grantedScopes.length,
    description:
      'Scopes of the token. `project:deploy` is the one of deploy tokens, `site:read` the one of site tokens.',
  }),
  createdAt: time('Creation time.'),
  expiresAt: time('Expiry time.'),
  lastUsedAt: nullable(
    time('Time of last use.'),
    'Accurate to five minutes; null before the first use.',
  ),
}

const project = nullable(
  Type.Object({ slug: Type.String(), name: Type.String() }),
  'The project of a deploy token or site token; null for a personal access token.',
)

export const AccessToken = Type.Object(
  { ...tokenFields, project },
  { $id: 'AccessToken', description: 'An access token, without its secret.' },
)
export type AccessToken = Static<typeof AccessToken>

export const AccessTokens = listOf(
  AccessToken,
  'AccessTokens',
  'Newest first, including expired tokens.',
)

export const expiresInDays = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 366, description: 'Default: 90.' }),
)

export const NewAccessToken = Type.Object(
  {
    label: tokenFields.label,
    scopes: Type.Optional({ ...scopes, description: 'Scopes of the token. Default: all.' }),
    expiresInDays,
  },
  { $id: 'NewAccessToken' },
)

export const token = Type.String({ description: 'It is not shown again.' })

export const IssuedAccessToken = Type.Object(
  { ...tokenFields, project, token },
  { $id: 'IssuedAccessToken' },
)

const invitationFields = {
  id: Type.String(),
  email: Type.String({ description: 'The e-mail address of the account.' }),
  role,
  plan,
  createdBy: nullable(Type.String(), 'Id of the operator; null if created on the command line.'),
  createdAt: time('Creation time.'),
  expiresAt: time('Expiry time.'),
}

export const Invitation = Type.Object(invitationFields, {
  $id: 'Invitation',
  description: 'A pending invitation, without its link.',
})
export type Invitation = Static<typeof Invitation>

export const Invitations = listOf(Invitation, 'Invitations', 'Newest first.')

export const NewInvitation = Type.Object(
  {
    email: { ...email, description: 'The e-mail address of the account.' },
    role: Type.Optional({ ...role, description: 'Default: member.' }),
    plan: Type.Optional({ ...plan, description: 'Default: free. Operators are always on paid.' }),
  },
  { $id: 'NewInvitation' },
)

export const IssuedInvitation = Type.Object(
  { ...invitationFields, link: IssuedLink.properties.link },
  { $id: 'IssuedInvitation' },
)

export const Accounts = pageOf(
  Account,
  'Accounts',
  'Accounts, oldest first.',
  '`after` for the next page; null on the last page.',
)

export const ListAccountsQuery = Type.Object({
  limit: pageLimit(50),
  after: Type.Optional(text(40, 'Only accounts after the one with this id.')),
  text: Type.Optional(
    plainText(254, 'Only accounts with this text in their name or e-mail address.'),
  ),
})

export const AccountStanding = Type.Object(
  { role: Type.Optional(role), plan: Type.Optional(plan) },
  { $id: 'AccountStanding', description: 'Changes to the role or plan of an account.' },
)

export const Reauthentication = Type.Object(
  { currentPassword: password },
  { $id: 'Reauthentication' },
)

export const CodeConfirmation = Type.Object({ code }, { $id: 'CodeConfirmation' })

export const SecondFactor = Type.Object(
  {
    isOn: Type.Boolean({ description: 'Whether signing in by password requires a code.' }),
    since: nullable(time('When it was turned on.'), 'Null while it is off.'),
    recoveryCodesLeft: Type.Integer({ description: 'Recovery codes that can still be used.' }),
  },
  { $id: 'SecondFactor', description: 'One-time codes as second factor.' },
)
export type SecondFactor = Static<typeof SecondFactor>

export const CodeSetUp = Type.Object(
  {
    secret: Type.String({ description: 'For the authenticator app, in base32.' }),
    uri: Type.String({ description: 'The same with its name, as an otpauth address.' }),
  },
  { $id: 'CodeSetUp', description: 'It is not shown again. Confirm it with a first code.' },
)

export const RecoveryCodes = Type.Object(
  {
    recoveryCodes: Type.Array(Type.String(), {
      maxItems: 10,
      description: 'Each works once instead of a code. They are not shown again.',
    }),
  },
  { $id: 'RecoveryCodes' },
)

export const wireAccount = (account: Sent<Account>): Account => toWire(Account, account)

/** `currentId` is the id of the request's session. */
export const wireSession = (session: Omit<Sent<Session>, 'isCurrent'>, currentId?: string) =>
  toWire(Session, { ...session, isCurrent: session.id === currentId })

/** A project as a list names it. */
export type ProjectName = NonNullable<AccessToken['project']>

/** `project` is the one of a deploy token. */
export const wireToken = (token: Omit<Sent<AccessToken>, 'project'>, project?: ProjectName) =>
  toWire(AccessToken, { ...token, project })

export const wireInvitation = ({
  email = '',
  plan = 'free',
  role = 'member',
  ...link
}: Omit<Sent<Invitation>, 'email' | 'plan' | 'role'> & {
  [Field in 'email' | 'plan' | 'role']: Invitation[Field] | undefined
}) => toWire(Invitation, { ...link, email, plan, role })

/** Base64url. */
const bytes = (maxLength: number) =>
  Type.String({ minLength: 1, maxLength, pattern: '^[A-Za-z0-9_-]+$' })
const credentialId = bytes(1400)
const publicKey = Type.Literal('public-key')

export const AttestationJson = Type.Object(
  {
    id: credentialId,
    rawId: credentialId,
    type: publicKey,
    response: Type.Object({
      clientDataJSON: bytes(4000),
      attestationObject: bytes(20_000),
      transports: Type.Optional(
        Type.Array(Type.String({ maxLength: 20, pattern: '^[a-z-]+$' }), { maxItems: 10 }),
      ),
    }),
    clientExtensionResults: Type.Object({}),
  },
  { $id: 'RegistrationResponse', description: 'RegistrationResponseJSON of WebAuthn.' },
)
export type AttestationJson = Static<typeof AttestationJson>

export const AssertionJson = Type.Object(
  {
    id: credentialId,
    rawId: credentialId,
    type: publicKey,
    response: Type.Object({
      clientDataJSON: bytes(4000),
      authenticatorData: bytes(4000),
      signature: bytes(4000),
      userHandle: Type.Optional(bytes(100)),
    }),
    clientExtensionResults: Type.Object({}),
  },
  { $id: 'AuthenticationResponse', description: 'AuthenticationResponseJSON of WebAuthn.' },
)
export type AssertionJson = Static<typeof AssertionJson>

const challenge = Type.String({ description: 'Base64url. Valid for five minutes, once.' })
const timeout = Type.Integer({ description: 'Milliseconds.' })

export const CreationOptions = Type.Object(
  {
    challenge,
    rp: Type.Object({ id: Type.String(), name: Type.String() }),
    user: Type.Object({ id: Type.String(), name: Type.String(), displayName: Type.String() }),
    pubKeyCredParams: Type.Array(Type.Object({ type: publicKey, alg: Type.Integer() }), {
      maxItems: 10,
    }),
    timeout,
    attestation: Type.Literal('none'),
    authenticatorSelection: Type.Object({
      residentKey: Type.Literal('required'),
      requireResidentKey: Type.Boolean(),
      userVerification: Type.Literal('required'),
    }),
    excludeCredentials: Type.Array(Type.Object({ type: publicKey, id: Type.String() }), {
      maxItems: 100,
    }),
  },
  { $id: 'PasskeyCreationOptions', description: 'PublicKeyCredentialCreationOptionsJSON.' },
)

export const RequestOptions = Type.Object(
  {
    challenge,
    rpId: Type.String(),
    timeout,
    userVerification: Type.Literal('required'),
  },
  { $id: 'PasskeyRequestOptions', description: 'PublicKeyCredentialRequestOptionsJSON.' },
)

const label = line(100, 'Label chosen by the owner.')

export const Passkey = Type.Object(
  {
    id: Type.String(),
    label,
    createdAt: time('Creation time.'),
    lastUsedAt: nullable(time('Time of last use.'), 'Null before the first use.'),
  },
  { $id: 'Passkey', description: 'A passkey of the account.' },
)
export type Passkey = Static<typeof Passkey>

export const Passkeys = listOf(Passkey, 'Passkeys', 'Newest first.')

export const NewPasskey = Type.Object({ label, credential: AttestationJson }, { $id: 'NewPasskey' })

export const PasskeySignIn = Type.Object({ credential: AssertionJson }, { $id: 'PasskeySignIn' })
