// ACME accounts (RFC 8555, section 7.3). An account is identified by its URL and its private key.

import type { HttpResponse } from '#kit/network/http-client.ts'
import {
  type AcmeClient,
  bindExternalAccount,
  type CallOptions,
  getDirectory,
  request,
} from '../requests/acme-client.ts'
import { asUrl, readEnum, readFields, readList } from '../requests/read-response.ts'
import { publicJwk, readKey } from '../x509/keys.ts'

interface NewAccount {
  /** PEM. The same key gives the same account again. */
  privateKey: string
  contacts: string[]
  /** Agreement to the directory's termsOfService. */
  agreesToTerms: boolean
  /** The account elsewhere that this one belongs to; `macKey` is base64url (section 7.3.4). */
  externalAccount?: { keyId: string; macKey: string } | undefined
}

/** Creates an account, or finds that of the key; an existing account keeps its contacts. */
export async function createAccount(
  client: AcmeClient,
  { agreesToTerms, contacts, externalAccount, privateKey }: NewAccount,
  options: CallOptions = {},
) {
  const { newAccount } = await getDirectory(client, options)
  const payload = {
    termsOfServiceAgreed: agreesToTerms,
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
  return await request(session, wanted, (response) =>
    readAccount(response, response.headers.location),
  )
}

function readAccount({ body }: HttpResponse, url: string | undefined) {
  const fields = readFields(body)
  return {
    /** Identifies the account in later requests (`kid`). */
    url: asUrl(url, 'Location'),
    status: readEnum(fields, 'status', ['valid', 'deactivated', 'revoked']),
    /** Such as `mailto:owner@example.com`. */
    contacts: readList(fields, 'contact').filter((each) => typeof each === 'string'),
  }
}
