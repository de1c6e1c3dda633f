// ACME accounts (RFC 8555, section 7.3). An account is identified by its URL and its private key.

import {
  type AcmeClient,
  bindExternalAccount,
  type CallOptions,
  getDirectory,
  request,
} from '../requests/acme-client.ts'
import { asUrl } from '../requests/read-response.ts'
import { publicJwk, readKey } from '../x509/keys.ts'

interface NewAccount {
  /** PEM. The same key gives the same account again. */
  privateKey: string
  contacts: string[]
  /** The account elsewhere that this one belongs to; `macKey` is base64url (section 7.3.4). */
  externalAccount?: { keyId: string; macKey: string } | undefined
}

/**
 * Creates an account, or finds that of the key; an existing account keeps its contacts. Agrees to the terms of the
 * authority. Its URL identifies it in later requests (`kid`).
 */
export async function createAccount(
  client: AcmeClient,
  { contacts, externalAccount, privateKey }: NewAccount,
  options: CallOptions = {},
) {
  const { newAccount } = await getDirectory(client, options)
  const payload = {
    termsOfServiceAgreed: true,
    contact: contacts,
    ...(externalAccount && {
      externalAccountBinding: bindExternalAccount(
        externalAccount,
        publicJwk(readKey(privateKey)),
        newAccount,
      ),
    }),
  }
  const session = { client, account: { privateKey }, ...options }
  const wanted = { operation: 'new account', url: newAccount, payload } as const
  return await request(session, wanted, ({ headers }) => ({
    url: asUrl(headers.location, 'Location'),
  }))
}
