// Fills in the variables of a template (draft-ietf-dconn-domainconnect, Resolving Template Variables). One pass: values
// are not expanded again.
import { TemplateError } from './engine-records.ts'

export interface Place {
  /** The apex of the zone. */
  domain: string
  /** The labels that the template is applied at; empty for the apex. */
  host: string
  params: Readonly<Record<string, string>>
}

/** Throws MissingParameter and InvalidTemplate. */
export function fillIn(text: string, { domain, host, params }: Place): string {
  if (text.split('%').length % 2 === 0)
    throw new TemplateError(
      'InvalidTemplate',
      `A variable does not end in ${JSON.stringify(text)}.`,
    )
  const values = new Map([
    ...Object.entries(params),
    ['domain', domain],
    ['host', host],
    ['fqdn', host === '' ? domain : `${host}.${domain}`],
  ])
  return text.replaceAll(/%([^%]*)%/g, (_, name: string) => {
    const value = values.get(name)
    if (value !== undefined) return value
    throw new TemplateError('MissingParameter', `The variable ${name} is missing.`)
  })
}

/** The name of a record relative to the zone; `@` for the zone itself. */
export function recordName(text: string, place: Place): string {
  const { domain, host } = place
  const filled = fillIn(text, place)
  if (filled === '' || filled === '@') return host === '' ? '@' : host
  const [, wildcard = '', rest = ''] = /^(\*\.|\*$)?(.*)$/.exec(filled) ?? []
  if (wildcard === '*.' && (rest === '' || rest === '@'))
    throw new TemplateError('InvalidData', `${filled} is no name of a wildcard.`)
  if (rest.endsWith('.')) {
    const inZone =
      rest === `${domain}.`
        ? ''
        : rest.endsWith(`.${domain}.`)
          ? rest.slice(0, -domain.length - 2)
          : rest
    if (wildcard === '') return inZone === '' ? '@' : inZone
    return inZone === '' ? `*${host === '' ? '' : `.${host}`}` : `*.${inZone}`
  }
  const labels = [wildcard === '' ? '' : '*', rest, host].filter((part) => part !== '')
  return labels.join('.')
}

/** The target of a record: always absolute; `@` is the name that the template is applied at. */
export function targetName(text: string, place: Place): string {
  const filled = fillIn(text, place)
  if (filled !== '@') return filled
  return place.host === '' ? place.domain : `${place.host}.${place.domain}`
}

/** A whole number, or one variable for one. */
export function wholeNumber(value: number | string, field: string, place: Place): number {
  const text = String(value)
  const isOne = /^-?\d+$/.test(text) || /^%[^%]+%$/.test(text)
  const number = Number(isOne ? fillIn(text, place) : Number.NaN)
  if (Number.isInteger(number)) return number
  throw new TemplateError('InvalidData', `${field} is no whole number: ${text}.`)
}
