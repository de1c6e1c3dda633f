// Passkeys in this browser (WebAuthn Level 3). What the browser refuses becomes a ManagementError with a sentence.
import { type Answer, type Body, ManagementError } from '../../client/management-client.ts'

/** Browsers offer passkeys over HTTPS and on localhost. */
export const hasPasskeys = (): boolean =>
  isSecureContext && typeof PublicKeyCredential?.parseRequestOptionsFromJSON === 'function'

/** Creates a passkey on a device that the user chooses. */
export async function createPasskey(
  options: Answer<'POST /account/passkeys/options'>,
): Promise<Body<'POST /account/passkeys'>['credential']> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
  return await jsonOf(navigator.credentials.create({ publicKey }))
}

/** Lets the user choose a passkey of this site. */
export async function choosePasskey(
  options: Answer<'POST /session/passkey/options'>,
): Promise<Body<'POST /session/passkey'>['credential']> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
  return await jsonOf(navigator.credentials.get({ publicKey }))
}

async function jsonOf<Json>(asked: Promise<Credential | null>): Promise<Json> {
  const credential = await asked.catch((cause: unknown) => {
    throw refusalOf(cause)
  })
  if (!(credential instanceof PublicKeyCredential)) throw refusalOf(undefined)
  return credential.toJSON() as Json
}

function refusalOf(cause: unknown): ManagementError {
  const isKnown = cause instanceof DOMException && cause.name === 'InvalidStateError'
  const message = isKnown
    ? 'This device already has a passkey of your account.'
    : 'No passkey was used. Try again, and confirm on your device.'
  return new ManagementError({ code: 'passkey_refused', message, status: 0, cause })
}
