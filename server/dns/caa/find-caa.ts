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
      /** The first `issue` that leaves the grammar: at `char`, empty at its end, after `before`. */
      malformed?: { record: CaaRecord; before: string; char: string } | undefined
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
  const listed = [...new Set(read.flatMap(({ value }) => value.issuer?.toLowerCase() ?? []))]
  const faults = read
    .filter(({ value: { issuer = '' } }) => request.issuers.includes(issuer.toLowerCase()))
    .map(({ record, value }) => ({ record, fault: faultOf(value.parameters, request) }))
  if (faults.some(({ fault }) => fault === undefined)) return { isAllowed: true, because: 'listed' }
  const [nearest] = faults
  if (nearest?.fault) {
    return { isAllowed: false, because: nearest.fault, listed, record: nearest.record }
  }
  const [malformed] = read.flatMap(({ record, value: { fault } }) =>
    fault ? [{ record, ...fault }] : [],
  )
  const because = listed.length > 0 ? 'not listed' : malformed ? 'malformed' : 'nobody'
  return { isAllowed: false, because, listed, record: undefined, malformed }
}

type Parameter = [tag: string, value: string]

interface IssueValue {
  /** Undefined for a value without an issuer, such as `;`, and for a malformed one. */
  issuer: string | undefined
  parameters: Parameter[]
  fault?: { before: string; char: string }
}

const label = '[a-z0-9](?:-*[a-z0-9])*'
const issuerPart = new RegExp(`[ \\t]*(${label}(?:\\.${label})*)?[ \\t]*`, 'iy')
/** As far as it is in the grammar; the value is of ASCII without `;` and spaces. */
const parameterPart = new RegExp(
  `;[ \\t]*(?:(${label})[ \\t]*(?:=[ \\t]*([\\x21-\\x3a\\x3c-\\x7e]*)[ \\t]*)?)?`,
  'iy',
)

/** Parses the value of `issue` and `issuewild` by the grammar of RFC 8659, section 4.2. */
function readIssueValue(escaped: string): IssueValue {
  const text = escaped.replaceAll(/\\(\d{3})/g, (_, byte) => String.fromCharCode(Number(byte)))
  issuerPart.lastIndex = 0
  const [head = '', issuer] = issuerPart.exec(text) ?? []
  const parameters: Parameter[] = []
  for (let at = head.length; at < text.length; ) {
    parameterPart.lastIndex = at
    const [part = '', tag, value] = parameterPart.exec(text) ?? []
    at += part.length
    if (tag !== undefined && value !== undefined) parameters.push([tag.toLowerCase(), value])
    // A semicolon may end the value only where it follows the issuer.
    else if (part.trim() !== ';' || at < text.length || parameters.length > 0)
      return { issuer: undefined, parameters: [], fault: faultAt(text, at) }
  }
  return { issuer, parameters }
}

/** Of spaces that separate nothing, the first is to blame. */
function faultAt(text: string, at: number) {
  const before = text.slice(0, at)
  const end = before.trimEnd()
  const isSpace = end.length < at && at < text.length && !/[;=]$/.test(end) && text[at] !== ';'
  return { before: end, char: text.charAt(isSpace ? end.length : at) }
}

/** RFC 8657, sections 3 and 4. A repeated parameter never matches. */
function faultOf(parameters: Parameter[], request: CaaRequest): 'account' | 'method' | undefined {
  const accounts = valuesOf(parameters, 'accounturi')
  const isOurs = accounts.length === 1 && accounts[0] === request.accountUri
  if (accounts.length > 0 && !isOurs) return 'account'
  const [methods, ...repeated] = valuesOf(parameters, 'validationmethods')
  if (methods === undefined) return undefined
  const isMet =
    repeated.length === 0 &&
    /^[a-z0-9-]+(,[a-z0-9-]+)*$/i.test(methods) &&
    methods.split(',').includes(request.method)
  return isMet ? undefined : 'method'
}

function valuesOf(parameters: Parameter[], name: string): string[] {
  return parameters.flatMap(([tag, value]) => (tag === name ? [value] : []))
}

/**
 * Why Let's Encrypt refuses a set that the RFCs allow it by (boulder, va/caa.go): it compares its name by letter case, takes
 * no hyphen in the tag of a parameter, and takes the lowest bit of the flags for the critical one.
 */
export function narrowReading(records: CaaRecord[], request: CaaRequest) {
  const unknown = records.find(
    ({ flags, tag }) => (flags & 1) !== 0 && !knownTags.includes(tag.toLowerCase()),
  )
  if (unknown) return { record: unknown, because: 'flag 1' as const }
  const matching = records.filter((record) => evaluateCaa([record], request).because === 'listed')
  const read = matching.map((record) => {
    const { issuer = '', parameters } = readIssueValue(record.value)
    if (!request.issuers.includes(issuer)) return { record, because: 'letter case' as const }
    const hasHyphen = parameters.some(([tag]) => tag.includes('-'))
    return hasHyphen ? { record, because: 'hyphen' as const } : undefined
  })
  return read.includes(undefined) ? undefined : read[0]
}
