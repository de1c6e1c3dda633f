// The wire shapes of passkeys: the JSON forms of WebAuthn Level 3, and what is shown of a passkey.
import { type Static, Type } from 'typebox'
import { line, listOf, nullable } from '#kit/schema/described-schema.ts'
import { password, time } from './schema.ts'

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

export const PasskeyAttempt = Type.Object({ currentPassword: password }, { $id: 'PasskeyAttempt' })

export const NewPasskey = Type.Object({ label, credential: AttestationJson }, { $id: 'NewPasskey' })

export const PasskeySignIn = Type.Object({ credential: AssertionJson }, { $id: 'PasskeySignIn' })
