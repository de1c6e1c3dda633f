// The TXT record of dns-persist-01 (draft-ietf-acme-dns-persist): it names the authority and our account, in the syntax of
// CAA's issue value (RFC 8659, section 4.2), and is valid for every validation until it ends. Drafts differ in the name
// of the account: 00 and 01 have its URL, 02 a hash by which another account cannot be passed off as ours.
import { createHash } from 'node:crypto'
import { readIssueValue } from '../../dns/caa/judge-caa.ts'
import {
  nameForm,
  type PersistentRecordForm,
  parameterValueForm,
} from '../requests/read-record-form.ts'
import { publicJwk, readKey, thumbprint } from '../x509/keys.ts'

/** Of the TXT record, before the host. */
export const persistentRecordLabel = '_validation-persist'

const maxUriLength = 400

export interface PersistentRecord {
  /** The authority, in lower case. */
  issuer: string
  accountUri: string
  /** Milliseconds since the epoch; undefined for a record without an end. */
  persistUntil: number | undefined
  /** Whether it allows all names below the host, too. */
  isWildcard: boolean
}

/** The value of the record. `persistUntil` is rounded down to a second. Throws RangeError when it cannot be written. */
export function formatPersistentRecord({
  accountUri,
  issuer,
  persistUntil,
}: Pick<PersistentRecord, 'issuer' | 'accountUri'> & { persistUntil: number }): string {
  const isUri = parameterValueForm.test(accountUri) && accountUri.length <= maxUriLength
  if (!nameForm.test(issuer) || !isUri) {
    throw new RangeError('the name of the authority or the account cannot be written')
  }
  const seconds = Math.floor(persistUntil / 1000)
  return `${issuer}; accounturi=${accountUri}; persistUntil=${seconds}`
}

/**
 * Undefined for text that authorities refuse: no issue value, a semicolon at the end, a parameter twice, no account, or
 * an end that is no number of seconds.
 */
export function parsePersistentRecord(text: string): PersistentRecord | undefined {
  const { issuer, parameters = [] } = readIssueValue(text) ?? {}
  if (issuer === undefined || /;[ \t]*$/.test(text)) return undefined
  const found = new Map(parameters)
  if (found.size < parameters.length) return undefined
  const accountUri = found.get('accounturi')
  const until = found.get('persistuntil')
  if (!accountUri || (until !== undefined && !/^\d{1,12}$/.test(until))) return undefined
  return {
    issuer,
    accountUri,
    persistUntil: until === undefined ? undefined : Number(until) * 1000,
    isWildcard: found.get('policy')?.toLowerCase() === 'wildcard',
  }
}

/** Whether it is the record to the letter, apart from white space and the issuer's letter case. */
export function isSameRecord(text: string, value: string): boolean {
  const [found, wanted] = [parsePersistentRecord(text), parsePersistentRecord(value)]
  return (
    found !== undefined &&
    wanted !== undefined &&
    found.issuer === wanted.issuer &&
    found.accountUri === wanted.accountUri &&
    found.persistUntil === wanted.persistUntil &&
    found.isWildcard === wanted.isWildcard
  )
}

/** What the record calls our account. `domain`: in ASCII; `*` leaves it open. `privateKey` is the account's. */
export function accountUriOf(
  { hashPrefix }: Pick<PersistentRecordForm, 'hashPrefix'>,
  { privateKey, url }: { privateKey: string; url: string },
  domain: string,
): string {
  if (hashPrefix === undefined) return url
  return `${hashPrefix}sha-256/${hashAccount(domain, thumbprint(publicJwk(readKey(privateKey))), url)}`
}

/** Base64url of SHA-256 over the length of the domain in one octet, the domain, the thumbprint and the account's URL. */
export function hashAccount(domain: string, keyThumbprint: string, url: string): string {
  return createHash('sha256')
    .update(Buffer.from([Buffer.byteLength(domain)]))
    .update(domain + keyThumbprint + url)
    .digest('base64url')
}
