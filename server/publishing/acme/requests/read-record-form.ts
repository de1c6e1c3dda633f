// What an authority says about the records of dns-persist-01 (draft-ietf-acme-dns-persist): in its directory and in its
// challenges. What is malformed is not used, and does not prevent other challenges.
import { type Fields, MalformedResponse, readList, readText } from './read-response.ts'

const maxIssuers = 10
const maxNameLength = 253
const maxPrefixLength = 200
const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
/** A host name in lower case. */
export const nameForm = new RegExp(`^${label}(?:\\.${label})*$`)
/** What a parameter of an issue value can hold (RFC 8659, section 4.2). */
export const parameterValueForm = /^[\x21-\x3a\x3c-\x7e]+$/

/** How an authority wants its records; undefined members are those of drafts before 02. */
export interface PersistentRecordForm {
  issuers: string[] | undefined
  hashPrefix: string | undefined
}

/** From `meta` of the directory; undefined when its values cannot be used. */
export function readRecordForm(meta: Fields): PersistentRecordForm | undefined {
  const { accountHashPrefix, issuerDomainNames } = meta
  try {
    return {
      issuers: issuerDomainNames === undefined ? undefined : readIssuers(meta, 'issuerDomainNames'),
      hashPrefix: accountHashPrefix === undefined ? undefined : readHashPrefix(meta),
    }
  } catch (error) {
    if (error instanceof MalformedResponse) return undefined
    throw error
  }
}

/** The authority's names in a challenge, in either spelling; undefined when they cannot be used. */
export function readChallengeIssuers(challenge: Fields): string[] | undefined {
  const names = ['issuerDomainNames', 'issuer-domain-names'].filter(
    (name) => challenge[name] !== undefined,
  )
  try {
    const [issuers, other] = names.map((name) => readIssuers(challenge, name))
    return other && issuers?.join() !== other.join() ? undefined : issuers
  } catch (error) {
    if (error instanceof MalformedResponse) return undefined
    throw error
  }
}

function readIssuers(fields: Fields, name: string): string[] {
  const issuers = readList(fields, name)
  const isList = issuers.length > 0 && issuers.length <= maxIssuers
  if (!isList || !issuers.every(isName)) {
    throw new MalformedResponse(`${name} is not a list of 1 to ${maxIssuers} lower-case names`)
  }
  return issuers
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length <= maxNameLength && nameForm.test(value)
}

/** A URI that a parameter can hold together with the hash. */
function readHashPrefix(meta: Fields): string {
  const prefix = readText(meta, 'accountHashPrefix')
  const isUri = /^[a-z][a-z0-9+.-]*:/.test(prefix) && parameterValueForm.test(prefix)
  if (isUri && prefix.length <= maxPrefixLength) return prefix
  throw new MalformedResponse('accountHashPrefix is not the beginning of a URI')
}
