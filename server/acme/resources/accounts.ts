// ACME accounts (RFC 8555, section 7.3). An account is identified by its URL and its private key.

import type { HttpResponse } from '#kit/network/http-client.ts'
import {
  type AcmeAccount,
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
  return await requestAccount({ client, account: { privateKey }, ...options }, newAccount, payload)
}

/** The account that a key has. Throws AcmeProblem `accountDoesNotExist` when it has none (section 7.3.1). */
export async function findAccount(
  client: AcmeClient,
  privateKey: string,
  options: CallOptions = {},
) {
  const { newAccount } = await getDirectory(client, options)
  const payload = { onlyReturnExisting: true }
  return await requestAccount({ client, account: { privateKey }, ...options }, newAccount, payload)
}

/** Deactivates the account permanently: its key is no longer accepted (section 7.3.6). */
export async function deactivateAccount(
  client: AcmeClient,
  account: AcmeAccount,
  options: CallOptions = {},
) {
  return await requestAccount({ client, account, ...options }, account.url, {
    status: 'deactivated',
  })
}

/** Creates or finds the account of a key, or changes an account. */
async function requestAccount(
  session: Parameters<typeof request>[0],
  url: string,
  payload: object,
) {
  const { url: known } = session.account
  const operation = known === undefined ? 'new account' : 'update account'
  return await request(session, { operation, url, payload }, (answer) =>
    readAccount(answer, known ?? answer.headers.location),
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
