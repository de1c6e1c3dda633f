// The wire shapes of accounts, their sessions, access tokens and one-time links. Times are RFC 3339.
import { type Static, Type } from 'typebox'
import { plans, roles } from '../management/caller.ts'
import { tokenScopes } from '../management/token-scopes.ts'

/** One line of text that people read. */
const line = (maxLength: number, description: string) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: '^\\P{Cc}*[^\\p{Cc}\\s]\\P{Cc}*$',
    'x-pattern-message': 'must have a visible character and no control characters',
    description,
  })

const role = Type.Enum([...roles], { type: 'string', description: 'What the account may do.' })
const plan = Type.Enum([...plans], { type: 'string', description: "An operator's is always paid." })
const email = Type.String({ minLength: 1, maxLength: 254, description: 'E-mail address.' })
const name = line(100, 'What people call the owner of the account.')
const time = (description: string) => Type.String({ format: 'date-time', description })
// Longer than a password may be: its length is counted once its characters are composed.
const password = Type.String({ minLength: 1, maxLength: 1024, description: 'The password.' })
const newPassword = {
  ...password,
  description: '12 to 256 characters; none of the most common ones, and not the e-mail address.',
}
const linkToken = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'What stands behind the # of the link.',
})

export const Account = Type.Object(
  { id: Type.String(), email, name, role, plan, createdAt: time('When it was made.') },
  { $id: 'Account', description: 'Somebody who can sign in.' },
)
export type Account = Static<typeof Account>

export const AccountPatch = Type.Object(
  {
    name: Type.Optional(name),
    email: Type.Optional(email),
    currentPassword: Type.Optional({
      ...password,
      description: 'Needed where the e-mail address changes.',
    }),
  },
  { $id: 'AccountPatch', description: 'What is to change of the own account.' },
)

export const SignIn = Type.Object({ email, password }, { $id: 'SignIn' })

export const PasswordChange = Type.Object(
  { currentPassword: password, newPassword },
  { $id: 'PasswordChange' },
)

export const NewAccount = Type.Object(
  { token: linkToken, email, name, password: newPassword },
  { $id: 'NewAccount', description: 'The account that a set-up link or an invitation makes.' },
)

export const PasswordByLink = Type.Object(
  { token: linkToken, password: newPassword },
  { $id: 'PasswordByLink' },
)

export const LinkToken = Type.Object({ token: linkToken }, { $id: 'LinkToken' })

export const linkKinds = ['set_up', 'invitation', 'password'] as const

export const Link = Type.Object(
  {
    kind: Type.Enum([...linkKinds], { type: 'string', description: 'What it is good for.' }),
    email: Type.Union([Type.String(), Type.Null()], {
      description: 'The address that the account has or must get; null where any will do.',
    }),
    expiresAt: time('Until when it can be used.'),
  },
  { $id: 'Link', description: 'A link that can be used, once.' },
)

export const IssuedLink = Type.Object(
  {
    link: Type.String({ format: 'uri', description: 'To be opened once. It is not shown again.' }),
    expiresAt: time('Until when it can be used.'),
  },
  { $id: 'IssuedLink' },
)

export const Session = Type.Object(
  {
    id: Type.String(),
    address: Type.String({ description: 'Where it was begun from.' }),
    userAgent: Type.String({ description: 'What it was begun with, as that names itself.' }),
    createdAt: time('When it was begun.'),
    seenAt: time('When it was last used, give or take five minutes.'),
    expiresAt: time('When it ends unless it is used.'),
    isCurrent: Type.Boolean({ description: 'Whether this request came by it.' }),
  },
  { $id: 'Session', description: 'A browser that is signed in.' },
)
export type Session = Static<typeof Session>

export const Sessions = Type.Object(
  { items: Type.Array(Session, { maxItems: 50 }) },
  { $id: 'Sessions', description: 'The newest use first.' },
)

const scopes = Type.Array(Type.Enum([...tokenScopes], { type: 'string' }), {
  minItems: 1,
  maxItems: tokenScopes.length,
  uniqueItems: true,
  description: 'What it may do.',
})

const tokenFields = {
  id: Type.String(),
  label: line(100, 'What its owner knows it by.'),
  scopes,
  createdAt: time('When it was made.'),
  expiresAt: time('Until when it works.'),
  lastUsedAt: Type.Union([time('When it was last used.'), Type.Null()], {
    description: 'Give or take five minutes; null before the first use.',
  }),
}

export const AccessToken = Type.Object(tokenFields, {
  $id: 'AccessToken',
  description: 'A personal access token, without its secret.',
})
export type AccessToken = Static<typeof AccessToken>

export const AccessTokens = Type.Object(
  { items: Type.Array(AccessToken, { maxItems: 100 }) },
  { $id: 'AccessTokens', description: 'The newest first; those that have expired, too.' },
)

export const NewAccessToken = Type.Object(
  {
    label: tokenFields.label,
    scopes: Type.Optional({ ...scopes, description: 'What it may do; all without it.' }),
    expiresInDays: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 366, description: '90 without it.' }),
    ),
  },
  { $id: 'NewAccessToken' },
)

export const IssuedAccessToken = Type.Object(
  { ...tokenFields, token: Type.String({ description: 'It is not shown again.' }) },
  { $id: 'IssuedAccessToken' },
)

const invitationFields = {
  id: Type.String(),
  email: Type.Union([Type.String(), Type.Null()], {
    description: 'The address that the account must get; null where any will do.',
  }),
  role,
  plan,
  createdBy: Type.Union([Type.String(), Type.Null()], {
    description: 'Id of the operator; null where it was made by command line.',
  }),
  createdAt: time('When it was made.'),
  expiresAt: time('Until when it can be used.'),
}

export const Invitation = Type.Object(invitationFields, {
  $id: 'Invitation',
  description: 'An invitation that can still be used, without its link.',
})
export type Invitation = Static<typeof Invitation>

export const Invitations = Type.Object(
  { items: Type.Array(Invitation, { maxItems: 100 }) },
  { $id: 'Invitations', description: 'The newest first.' },
)

export const NewInvitation = Type.Object(
  {
    email: Type.Optional({ ...email, description: 'The address that the account must get.' }),
    role: Type.Optional({ ...role, description: 'member without it.' }),
    plan: Type.Optional({ ...plan, description: "free without it; an operator's is paid." }),
  },
  { $id: 'NewInvitation' },
)

export const IssuedInvitation = Type.Object(
  { ...invitationFields, link: IssuedLink.properties.link },
  { $id: 'IssuedInvitation' },
)

export const Accounts = Type.Object(
  {
    items: Type.Array(Account, { maxItems: 100 }),
    next: Type.Union([Type.String(), Type.Null()], {
      description: 'The `after` of the next page; null at the end.',
    }),
  },
  { $id: 'Accounts', description: 'Accounts, the oldest first.' },
)

export const ListAccountsQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 50, description: 'At most so many.' }),
  after: Type.Optional(
    Type.String({
      maxLength: 40,
      description: 'Only accounts that come after the one of this id.',
    }),
  ),
})

export const AccountStanding = Type.Object(
  { role: Type.Optional(role), plan: Type.Optional(plan) },
  { $id: 'AccountStanding', description: 'What an operator changes of an account.' },
)
