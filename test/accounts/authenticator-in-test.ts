// An authenticator in software (WebAuthn Level 3): ES256, no attestation.
import { createSign, generateKeyPairSync, hash, randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import { type AccountsInTest, password, type Visitor } from './accounts-in-test.ts'

export interface AuthenticatorOptions {
  origin: string
  rpId: string
  /** Default: true. */
  isUserVerified?: boolean
  counter?: number
}

/** A new credential. */
export function createCredential() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const id = randomBytes(32)
  const common = {
    id: id.toString('base64url'),
    rawId: id.toString('base64url'),
    type: 'public-key',
    clientExtensionResults: {},
  }
  const coseKey = Buffer.concat([
    // A map of 5: kty EC2, alg ES256, crv P-256, x, y (RFC 9052, RFC 9053).
    Buffer.from('a5010203262001215820', 'hex'),
    Buffer.from(x, 'base64url'),
    Buffer.from('225820', 'hex'),
    Buffer.from(y, 'base64url'),
  ])
  const clientData = (type: string, challenge: string, { origin }: AuthenticatorOptions) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  const authenticatorData = (options: AuthenticatorOptions, flags: number, rest = '') => {
    const { counter = 0, isUserVerified = true, rpId } = options
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    const bits = Buffer.from([flags | (isUserVerified ? 0x05 : 0x01)])
    const attested = Buffer.from(rest, 'hex')
    return Buffer.concat([hash('sha256', rpId, 'buffer'), bits, count, attested])
  }

  return {
    id: common.id,
    /** RegistrationResponseJSON. */
    register(challenge: string, options: AuthenticatorOptions, format = 'none') {
      const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, coseKey])
      const data = authenticatorData(options, 0x40, attested.toString('hex'))
      const text = (value: string) =>
        Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)])
      const attestationObject = Buffer.concat([
        Buffer.from([0xa3]),
        ...[text('fmt'), text(format), text('attStmt'), Buffer.from([0xa0]), text('authData')],
        Buffer.from([0x58, data.length]),
        data,
      ])
      const response = {
        clientDataJSON: clientData('webauthn.create', challenge, options).toString('base64url'),
        attestationObject: attestationObject.toString('base64url'),
        transports: ['internal'],
      }
      return { ...common, response }
    },
    /** AuthenticationResponseJSON. */
    sign(challenge: string, options: AuthenticatorOptions) {
      const client = clientData('webauthn.get', challenge, options)
      const data = authenticatorData(options, 0)
      const signed = createSign('sha256')
        .update(data)
        .update(hash('sha256', client, 'buffer'))
      const response = {
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: signed.sign(privateKey).toString('base64url'),
      }
      return { ...common, response }
    },
  }
}

/** The dashboard as the relying party. */
export const hereOf = ({ context: { dashboardUrl } }: AccountsInTest) => ({
  origin: dashboardUrl.origin,
  rpId: dashboardUrl.hostname,
})

const challengeIn = ({ json }: { json: unknown }) => (json as { challenge: string }).challenge

/** The challenge for adding a passkey to the visitor's account. */
export async function startAdding(visitor: Visitor): Promise<string> {
  const body = { currentPassword: password }
  const response = await visitor.post('/account/passkeys/options', body)
  expect(response.status).toBe(200)
  return challengeIn(response)
}

export async function addPasskey(accounts: AccountsInTest, visitor: Visitor) {
  const created = createCredential()
  const credential = created.register(await startAdding(visitor), hereOf(accounts))
  const added = await visitor.post('/account/passkeys', { label: 'Laptop', credential })
  expect(added.status).toBe(201)
  return created
}

/** The challenge for signing in. */
export const challengeFor = async (visitor: Visitor): Promise<string> =>
  challengeIn(await visitor.post('/session/passkey/options'))
