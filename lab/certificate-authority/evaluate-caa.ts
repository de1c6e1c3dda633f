// What a set of CAA records allows this authority, written from RFC 8659 (section 4) and RFC 8657 alone, on the bytes of
// the record. It shares nothing with the program's own reading, so that tests can compare the two.
import type { DnsRecord } from '#dns/messages/exchange.ts'
import { textBytes } from '../dns/zone.ts'

export interface CaaRequest {
  /** The name of the authority in CAA records. */
  identity: string
  accountUri: string
  method: string
}

interface IssueValue {
  /** Empty: the property authorizes nobody. */
  issuer: string
  parameters: { tag: string; value: string }[]
}

const criticalFlag = 0x80
/** The properties of RFC 8659. */
const understoodTags = ['issue', 'issuewild', 'iodef']

/** For a name that is no wildcard: `issuewild` is ignored (RFC 8659, section 4.3). */
export function caaAllows(records: (DnsRecord & { type: 'CAA' })[], request: CaaRequest): boolean {
  const properties = records.map((record) => ({ ...record, tag: record.tag.toLowerCase() }))
  const isUnderstood = properties.every(
    ({ flags, tag }) => (flags & criticalFlag) === 0 || understoodTags.includes(tag),
  )
  if (!isUnderstood) return false
  const issue = properties.filter(({ tag }) => tag === 'issue')
  return issue.length === 0 || issue.some(({ value }) => authorizes(textBytes(value), request))
}

function authorizes(bytes: Buffer, { accountUri, identity, method }: CaaRequest): boolean {
  const property = readIssueValue(bytes.toString('latin1'))
  if (property?.issuer.toLowerCase() !== identity) return false
  const valuesOf = (name: string): string[] =>
    property.parameters.flatMap(({ tag, value }) => (tag === name ? [value] : []))
  const accounts = valuesOf('accounturi')
  if (accounts.length > 1 || accounts.some((uri) => uri !== accountUri)) return false
  return valuesOf('validationmethods').every((value) => {
    const labels = value.split(',')
    return labels.every(isMethodLabel) && labels.includes(method)
  })
}

/** Undefined when the value is not in the grammar of RFC 8659, section 4.2, which authorizes nobody either. */
function readIssueValue(text: string): IssueValue | undefined {
  let at = 0
  const takeWhile = (isPart: (char: string) => boolean): string => {
    const start = at
    while (at < text.length && isPart(text.charAt(at))) at++
    return text.slice(start, at)
  }
  const takeOne = (char: string): boolean => {
    if (text[at] !== char) return false
    at++
    return true
  }
  const skipSpace = () => takeWhile((char) => char === ' ' || char === '\t')

  skipSpace()
  const issuer = takeWhile((char) => isLetterOrDigit(char) || char === '-' || char === '.')
  if (issuer !== '' && !issuer.split('.').every(isLabel)) return undefined
  skipSpace()
  const parameters: IssueValue['parameters'] = []
  if (at === text.length) return { issuer, parameters }
  if (!takeOne(';')) return undefined
  skipSpace()
  while (at < text.length || parameters.length > 0) {
    const tag = takeWhile((char) => isLetterOrDigit(char) || char === '-')
    skipSpace()
    if (!isLabel(tag) || !takeOne('=')) return undefined
    skipSpace()
    parameters.push({ tag, value: takeWhile((char) => char > ' ' && char <= '~' && char !== ';') })
    skipSpace()
    if (at === text.length) break
    if (!takeOne(';')) return undefined
    skipSpace()
  }
  return { issuer, parameters }
}

const isLetterOrDigit = (char: string): boolean =>
  (char >= 'a' && char <= 'z') || (char >= 'A' && char <= 'Z') || (char >= '0' && char <= '9')

/** Starts and ends with a letter or digit. Also the form of a parameter's tag. */
function isLabel(text: string): boolean {
  const [first, last] = [text.at(0), text.at(-1)]
  return (
    first !== undefined && last !== undefined && isLetterOrDigit(first) && isLetterOrDigit(last)
  )
}

const isMethodLabel = (text: string): boolean =>
  text !== '' && [...text].every((char) => isLetterOrDigit(char) || char === '-')
