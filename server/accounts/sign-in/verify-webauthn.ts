// Verifies responses of authenticators. Only what needs no certificate is accepted: no attestation, or a self
// attestation. So no certificate chain is read and no revocation list is fetched.
import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server'
import { decodeAttestationObject, isoBase64URL } from '@simplewebauthn/server/helpers'
import type { AssertionJson, AttestationJson } from '../people/schema.ts'

export interface Expected {
  expectedOrigin: string
  expectedRPID: string
  expectedChallenge: (challenge: string) => boolean
}

/** The credential of a registration. Throws if it is not valid. */
export async function register(
  response: AttestationJson,
  expected: Expected & { supportedAlgorithmIDs: number[] },
) {
  const bytes = isoBase64URL.toBuffer(response.response.attestationObject)
  const attestation = decodeAttestationObject(bytes)
  const format = attestation.get('fmt')
  const hasCertificate = attestation.get('attStmt').get('x5c') !== undefined
  if (hasCertificate || (format !== 'none' && format !== 'packed'))
    throw new Error(`attestation ${format} was not asked for`)
  const { registrationInfo, verified } = await verifyRegistrationResponse({
    ...expected,
    response: response as Parameters<typeof verifyRegistrationResponse>[0]['response'],
    requireUserVerification: true,
  })
  if (!verified || !registrationInfo) throw new Error('the registration is not valid')
  return registrationInfo.credential
}

/**
 * `publicKey`: COSE in base64url. Returns the new counter of the passkey. Throws if the assertion is not valid, or the
 * counter does not ascend.
 */
export async function authenticate(
  response: AssertionJson,
  { counter, id, publicKey }: { id: string; publicKey: string; counter: number },
  expected: Expected,
): Promise<number> {
  const { authenticationInfo, verified } = await verifyAuthenticationResponse({
    ...expected,
    response: response as Parameters<typeof verifyAuthenticationResponse>[0]['response'],
    credential: { id, publicKey: isoBase64URL.toBuffer(publicKey), counter },
    requireUserVerification: true,
  })
  if (!verified) throw new Error('the signature is not valid')
  return authenticationInfo.newCounter
}
