// Finds the CAA records that apply to a name, and says whether they allow an authority to issue. They are those at the
// name or the target of its aliases, otherwise at the closest name above it; names above the target of an alias do not
// count (RFC 8659, section 3). They are evaluated as authorities must, purely from the records: malformed ones allow
// nothing (section 4; RFC 8657 for accounts and methods).
import { parentOf } from '../messages/dns-name.ts'
import { type DnsRecord, type Rcode, recordsOfType } from '../messages/exchange.ts'
import type { ResolveQuestion } from '../resolution/look-up.ts'

export interface CaaStep {
  name: string
  /** The name was reached by following the host's CNAME to our target (C03). */
  isOurTarget: boolean
  /** An authority must not issue after SERVFAIL, other error codes and `failure`. `not-asked`: not known here. */
  rcode: Rcode | 'failure' | 'not-asked'
  records: (DnsRecord & { type: 'CAA' })[]
}

/** The set that applies; `unknown`: the walk ended before a set or the top, so there may be one. */
export function caaSetIn(steps: readonly CaaStep[]): CaaStep | 'none' | 'unknown' {
  const last = steps.at(-1)
  const isWhole = last?.rcode === 'NOERROR' || last?.rcode === 'NXDOMAIN'
  for (const step of steps) if (step.records.length > 0) return step
  return isWhole ? 'none' : 'unknown'
}

/**
 * From the host up to its top-level domain, until records are found or a query fails: the last step decides. An alias
 * has a step of its own before that of its target.
 */
export async function findCaa(
  resolveFromZone: ResolveQuestion,
  host: string,
  isOurTarget: (name: string) => boolean = () => false,
): Promise<CaaStep[]> {
  const steps: CaaStep[] = []
  for (let name: string | undefined = host; name; name = parentOf(name)) {
    const resolution = await resolveFromZone({ name, type: 'CAA' })
    const records = recordsOfType(resolution.records, 'CAA')
    const isAliased = resolution.end !== name
    if (isAliased) steps.push({ name, isOurTarget: false, rcode: 'NOERROR', records: [] })
    steps.push({
      name: resolution.end,
      isOurTarget: isAliased && isOurTarget(resolution.end),
      rcode: resolution.fault ? 'failure' : resolution.rcode,
      records,
    })
    if (resolution.outcome !== 'nothing' || records.length > 0) break
  }
  return steps
}

type CaaRecord = DnsRecord & { type: 'CAA' }

interface CaaRequest {
  /** The authority's names in CAA, such as `letsencrypt.org`. */
  issuers: string[]
  /** Our account there; without it, records with an account do not match. */
  accountUri?: string | undefined
  /** The method of validation, such as `http-01`. */
  method: string
}

export type CaaJudgement =
  /** `no rule`: no record, or none for certificates of this kind. */
  | { isAllowed: true; because: 'no rule' | 'listed' }
  | {
      isAllowed: false
      /** The first that applies: unknown critical tag, no issuer, other issuers, other account or method. */
      because: 'unknown critical' | 'nobody' | 'not listed' | 'account' | 'method' | 'malformed'
      /** Allowed issuers. */
      listed: string[]
      /** The record that forbids it, if it is a single one. */
      record: CaaRecord | undefined
    }

const criticalFlag = 0x80
/** `issuemail` (RFC 9495) does not apply to TLS certificates. */
const knownTags = ['issue', 'issuewild', 'issuemail', 'iodef']

export function evaluateCaa(records: CaaRecord[], request: CaaRequest): CaaJudgement {
  const unknown = records.find(
    ({ flags, tag }) => (flags & criticalFlag) !== 0 && !knownTags.includes(tag.toLowerCase()),
  )
  if (unknown) {
    return { isAllowed: false, because: 'unknown critical', listed: [], record: unknown }
  }
  // `issuewild` does not apply to names that are no wildcards (RFC 8659, section 4.3).
  const rules = records.filter(({ tag }) => tag.toLowerCase() === 'issue')
  if (rules.length === 0) return { isAllowed: true, because: 'no rule' }
  const read = rules.map((record) => ({ record, value: readIssueValue(record.value) }))
  const listed = [...new Set(read.flatMap(({ value }) => (value?.issuer ? [value.issuer] : [])))]
  const ours = read.filter(
    ({ value }) => value?.issuer !== undefined && request.issuers.includes(value.issuer),
  )
  const faults = ours.map(({ record, value }) => ({
    record,
    fault: faultOf(value?.parameters ?? [], request),
  }))
  if (faults.some(({ fault }) => fault === undefined)) return { isAllowed: true, because: 'listed' }
  const [nearest] = faults
  if (nearest?.fault) {
    return { isAllowed: false, because: nearest.fault, listed, record: nearest.record }
  }
  if (listed.length > 0) {
    return { isAllowed: false, because: 'not listed', listed, record: undefined }
  }
  const unreadable = read.find(({ value }) => value === undefined)
  return {
    isAllowed: false,
    because: unreadable ? 'malformed' : 'nobody',
    listed,
    record: (unreadable ?? read[0])?.record,
  }
}

type Parameter = [tag: string, value: string]

interface IssueValue {
  /** In lower case; undefined for a value without an issuer, such as `;`. */
  issuer: string | undefined
  parameters: Parameter[]
}

const label = '[a-z0-9](?:-*[a-z0-9])*'
const issuerForm = new RegExp(`^${label}(?:\\.${label})*$`)
// Without `;`, spaces and what is not ASCII (RFC 8659, section 4.2).
const parameterForm = /^([a-z0-9](?:-*[a-z0-9])*)[ \t]*=[ \t]*([\x21-\x3a\x3c-\x7e]*)$/i

/** Parses the value of `issue` and `issuewild`; undefined if malformed. */
function readIssueValue(text: string): IssueValue | undefined {
  const [head = '', ...rest] = text.split(';').map((part) => part.replace(/^[ \t]+|[ \t]+$/g, ''))
  const issuer = head.toLowerCase()
  if (issuer !== '' && !issuerForm.test(issuer)) return undefined
  // A trailing semicolon is allowed.
  if (rest.at(-1) === '') rest.pop()
  const parameters: Parameter[] = []
  for (const part of rest) {
    const match = parameterForm.exec(part)
    if (!match?.[1]) return undefined
    parameters.push([match[1].toLowerCase(), match[2] ?? ''])
  }
  return { issuer: issuer === '' ? undefined : issuer, parameters }
}

/** RFC 8657, sections 3 and 4. A repeated parameter never matches. */
function faultOf(parameters: Parameter[], request: CaaRequest): 'account' | 'method' | undefined {
  const accounts = valuesOf(parameters, 'accounturi')
  const isOurs = accounts.length === 1 && accounts[0] === request.accountUri
  if (accounts.length > 0 && !isOurs) return 'account'
  const methods = valuesOf(parameters, 'validationmethods')
  if (methods.length === 0) return undefined
  const isMet = methods.length === 1 && methods[0]?.split(',').includes(request.method)
  return isMet ? undefined : 'method'
}

function valuesOf(parameters: Parameter[], name: string): string[] {
  return parameters.flatMap(([tag, value]) => (tag === name ? [value] : []))
}
