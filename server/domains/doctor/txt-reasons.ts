// Why a pointer does not prove ownership, as diagnostics and screens say it.
import type { TxtReason } from './ownership.ts'

const leftOver = 'A leftover record does not prove who owns the name now.'
const txtDecides = 'It goes to the account that proves ownership with a TXT record.'

interface ReasonText {
  reason: TxtReason
  title: (host: string) => string
  detail: string
}

/** Most important first. */
const texts: ReasonText[] = [
  {
    reason: 'proven by another',
    title: (host) => `Another account holds ${host}`,
    detail: txtDecides,
  },
  {
    reason: 'held by another',
    title: (host) => `Another account holds ${host}`,
    detail: txtDecides,
  },
  {
    reason: 'claimed by another',
    title: (host) => `Another account added ${host} as well`,
    detail: 'A CNAME does not say which account it was created for; a TXT record does.',
  },
  {
    reason: 'held lately',
    title: (host) => `Another account held ${host} within the last 90 days`,
    detail: leftOver,
  },
  {
    reason: 'pointed before',
    title: (host) => `${host} pointed here before it was added`,
    detail: leftOver,
  },
  {
    reason: 'proxy',
    title: (host) => `A proxy stands in front of ${host}`,
    detail:
      'The record behind the proxy cannot be seen from outside; a TXT record proves who owns it.',
  },
  {
    reason: 'wildcard',
    title: (host) => `A wildcard beside ${host} points to us`,
    detail: 'It may not be meant for this name.',
  },
  {
    reason: 'chain',
    title: (host) => `${host} points to us through another name`,
    detail: 'The owner of that name may be somebody else.',
  },
  {
    reason: 'lapsed',
    title: (host) => `${host} did not point here for 30 days`,
    detail: 'It may have another owner now, so ownership must be proven again.',
  },
  {
    reason: 'too late',
    title: (host) => `${host} was added more than 48 hours ago`,
    detail:
      'A record proves ownership only within 48 hours after the domain is added: a later one may be ' +
      'the record of another owner.',
  },
]

/** The most important reason for a TXT record; undefined when none lasts. */
export function describeTxtReason(
  reasons: readonly TxtReason[],
  host: string,
): { title: string; detail: string } | undefined {
  const text = texts.find(({ reason }) => reasons.includes(reason))
  return text && { title: text.title(host), detail: text.detail }
}
