// The directory of an authority (RFC 8555, section 7.1.1): where everything is, and what it can do.
import { asFields, readFields, readList, readOptionalUrl, readUrl } from './read-response.ts'

export interface Directory {
  newNonce: string
  newAccount: string
  newOrder: string
  revokeCert: string
  keyChange: string
  /** Undefined when the authority has no renewal information (RFC 9773). */
  renewalInfo: string | undefined
  /** What an account agrees to. */
  termsOfService: string | undefined
  /** What a CAA record names to allow it. */
  caaIdentities: string[]
  externalAccountRequired: boolean
  /** What each profile is, by its name (draft-ietf-acme-profiles); empty when there are none. */
  profiles: Record<string, string>
}

/** Throws MalformedAnswer. */
export function readDirectory(body: Buffer): Directory {
  const fields = readFields(body)
  const meta = fields.meta === undefined ? {} : asFields(fields.meta, 'meta')
  const profiles = asFields(meta.profiles ?? {}, 'profiles')
  return {
    newNonce: readUrl(fields, 'newNonce'),
    newAccount: readUrl(fields, 'newAccount'),
    newOrder: readUrl(fields, 'newOrder'),
    revokeCert: readUrl(fields, 'revokeCert'),
    keyChange: readUrl(fields, 'keyChange'),
    renewalInfo: readOptionalUrl(fields, 'renewalInfo'),
    termsOfService: typeof meta.termsOfService === 'string' ? meta.termsOfService : undefined,
    caaIdentities: readList(meta, 'caaIdentities').filter((each) => typeof each === 'string'),
    externalAccountRequired: meta.externalAccountRequired === true,
    profiles: Object.fromEntries(
      Object.entries(profiles).filter(
        (pair): pair is [string, string] => typeof pair[1] === 'string',
      ),
    ),
  }
}
