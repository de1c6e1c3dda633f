// The wire shapes of sign-in by an identity provider. Times are RFC 3339.
import { type Static, Type } from 'typebox'
import { listOf, nullable } from '#kit/schema/described-schema.ts'
import { Account, NewAccount, password, time } from './schema.ts'

const providerName = Type.String({ description: 'As on the button Sign in with …' })

export const Provider = Type.Object(
  {
    name: nullable(providerName, 'Null when no identity provider is configured.'),
    isSetUp: Type.Boolean({ description: 'Whether the first account, an operator, exists.' }),
  },
  { $id: 'Provider', description: 'How to sign in at this installation.' },
)

/** A path of the dashboard in printable ASCII: not `//host`, and no backslash, which browsers read as a slash. */
const path = Type.String({
  maxLength: 500,
  pattern: '^/([!-.0-\\[\\]-~][!-\\[\\]-~]*)?$',
  'x-pattern-message': 'must be a path of the dashboard, such as /projects',
  description: 'Path of the dashboard to open afterwards. Default: /.',
})

export const ProviderStart = Type.Object(
  {
    next: Type.Optional(path),
    invitation: Type.Optional({
      ...NewAccount.properties.token,
      description: 'Of an invitation: creates the account of an unknown identity.',
    }),
  },
  { $id: 'ProviderStart' },
)

export const ProviderAddress = Type.Object(
  {
    url: Type.String({ format: 'uri', description: 'Open it in the browser, within ten minutes.' }),
  },
  { $id: 'ProviderAddress', description: 'Where to sign in at the identity provider.' },
)

export const ProviderResponse = Type.Object(
  {
    query: Type.String({
      minLength: 1,
      maxLength: 8192,
      description: 'The query of the address to which the provider has sent the browser.',
    }),
  },
  { $id: 'ProviderResponse' },
)

export const ProviderSignIn = Type.Object(
  { account: Account, next: Type.String({ description: 'Path of the dashboard to open.' }) },
  { $id: 'ProviderSignIn' },
)

export const Identity = Type.Object(
  {
    id: Type.String(),
    issuer: Type.String({ description: 'The identity provider.' }),
    email: nullable(Type.String(), 'As the provider gave it; null if it gave none.'),
    createdAt: time('Time of connecting.'),
    lastUsedAt: nullable(time('Time of the last sign-in.'), 'Null before the first one.'),
  },
  { $id: 'Identity', description: 'An identity at a provider that can sign in to the account.' },
)
export type Identity = Static<typeof Identity>

export const Identities = Type.Object(
  {
    ...listOf(Identity, 'Identities', '').properties,
    provider: Provider.properties.name,
    hasPassword: Type.Boolean({
      description:
        'Whether the account has a password. Accounts created by the provider have none.',
    }),
  },
  { $id: 'Identities', description: 'Newest first.' },
)

export const IdentityStart = Type.Object({ currentPassword: password }, { $id: 'IdentityStart' })

export const FirstPassword = Type.Object(
  { newPassword: NewAccount.properties.password },
  { $id: 'FirstPassword' },
)
