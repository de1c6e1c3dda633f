// The text of e-mails about domains: short, with what to do first.

import { operatorTask, type Problem, quoteAnswer } from '#doctor/rules/certificate-rules.ts'
import { newValueReasons } from '#doctor/rules/preparation-rules.ts'
import { asMail } from '#kit/mail/send-mail.ts'
import type { StreamedEvent } from '../api/event-schema.ts'
import { describeBlocker } from '../state/badge.ts'
import { domainEventTypes } from '../state/event-types.ts'

interface MailFacts extends StreamedEvent {
  /** Of the reader; may be empty. */
  name: string
  /** Of the project. */
  project: string
  /** Where its domains are shown. */
  address: string
}

export function mailText(facts: MailFacts) {
  const { address, domain, name, project } = facts
  const host = domain?.unicodeHost ?? facts.event.host
  const [subject, ...lines] = contentOf(facts, host)
  return asMail(subject, name, [
    ...lines,
    `View the domain:\n${address}`,
    `You get this mail because ${host} ${domain ? 'is' : 'was'} a domain of your project ${project}.`,
  ])
}

/** To an operator. `address`: of the page of system checks. */
export function accountMailText(name: string, problem: Problem, address: string) {
  return asMail(`${problem.authority} issues no certificates until you act`, name, [
    quoteAnswer(problem),
    `Until it is solved, certificates are neither issued nor renewed there. Please ${operatorTask(problem)}.`,
    `View the checks of the installation:\n${address}`,
    'You get this mail because you are an operator of this installation.',
  ])
}

/** The subject, and the paragraphs. */
function contentOf({ domain, event, project }: MailFacts, host: string): [string, ...string[]] {
  const { because, expiresAt, recordName = '', recordValue = '', until } = event.detail
  const { name = '', value = '' } = domain?.verification ?? {}
  switch (event.type) {
    case 'active':
      return [
        `${host} is live`,
        `${host} now serves ${project} over HTTPS:\nhttps://${event.host}/`,
        "You don't need to do anything. The certificate renews automatically, long before it expires.",
      ]
    case 'at_risk':
      if (because === 'dns') {
        return [
          `${host} no longer points to us`,
          `Two checks in a row found that the DNS of ${host} no longer points to us. It is still served${until ? `, until ${day(until)} at the latest` : ''}.`,
          ...toDo(domain, 'Please restore its record:', recordLine(domain)),
          'If you are moving the domain elsewhere, remove it from the project instead.',
        ]
      }
      if (because === 'lookup') {
        return [
          `${host} cannot be found in DNS`,
          `Two checks in a row could not look ${host} up, so visitors may not reach it. It is still served, and stays yours.`,
          ...reasonOf(event, domain),
        ]
      }
      return [
        `The certificate of ${host} could not be renewed yet`,
        `The certificate of ${host} ${expiresAt ? `expires on ${day(expiresAt)}` : 'expires soon'}, and the attempts to renew it have failed. We will keep retrying.`,
        ...reasonOf(event, domain),
      ]
    case 'failed':
      return [
        `${host} has no certificate yet`,
        event.detail.code === 'expired'
          ? `The certificate of ${host} has expired, and no new one could be issued.`
          : `No certificate could be issued for ${host} yet. We will keep retrying, and e-mail you when it is active.`,
        ...reasonOf(event, domain),
      ]
    case 'lost':
      return because === 'claimed'
        ? [
            `${host} is no longer served`,
            `Another account has proven by a TXT record that ${host} is theirs, so it is no longer served for ${project}.`,
            ...toDo(
              domain,
              'If that is a mistake, prove it with this record:',
              lineOf(name, 'TXT', value),
            ),
          ]
        : [
            `${host} is no longer served`,
            `The DNS of ${host} has not pointed to us for 7 days, so it is no longer served.`,
            ...toDo(domain, 'It comes back automatically with this record:', recordLine(domain)),
          ]
    case 'challenge_requested':
      return [
        `${host}: a TXT record is needed for its certificate`,
        ...(isReason(because)
          ? [`${newValueReasons[because]} The old value is not valid any more.`]
          : []),
        `To issue the certificate of ${host} before you switch DNS, please set this record${until ? ` until ${minuteOf(until)}` : ''}:\n${lineOf(recordName, 'TXT', recordValue)}`,
        'The certificate is issued once every name server has it. Your site stays where it is until you switch.',
      ]
    case 'certificate_prepared':
      return [
        `${host} is ready to switch`,
        `The certificate of ${host} is issued${expiresAt ? `, until ${day(expiresAt)}` : ''}. You can switch DNS now, without downtime:`,
        recordLine(domain),
        'Check the list on the page of the domain first, and keep the old site running for 48 hours.',
      ]
    case 'preparation_ended':
      return [
        `The certificate of ${host} is not renewed any more`,
        `DNS of ${host} still points elsewhere after two renewals, so its certificate is not requested before the switch any more${expiresAt ? `. It expires on ${day(expiresAt)}` : ''}.`,
        'You can request it again when you are about to switch.',
      ]
    case 'removed':
      return [
        `${host} was removed`,
        `${event.actor?.name ? `${event.actor.name} removed ${host}` : `${host} was removed`} from ${project}. It is no longer served.`,
        `Please delete its DNS records as well: others could use a leftover record to take over the name.${listedRecords(event.detail)}`,
      ]
    default:
      return [`${host}: ${event.type}`, domainEventTypes[event.type]]
  }
}

/** The cause that the owner can fix: the doctor's diagnostic, or the authority's error. */
function reasonOf({ detail }: StreamedEvent['event'], domain: StreamedEvent['domain']): string[] {
  const { because, code, problem } = detail
  const whose = code === 'T10' ? [`You don't need to do anything: ${describeBlocker(code)}.`] : []
  if (problem) return [`The certificate authority said:\n${oneLine(problem)}`, ...whose]
  // The first one says why a name cannot be looked up.
  const isMeant = (one: { code: string }) => one.code === code || because === 'lookup'
  const diagnostic = domain?.check?.diagnostics.find(isMeant)
  if (diagnostic) return [diagnostic.title, ...(diagnostic.fix ? [diagnostic.fix.text] : [])]
  return code === undefined ? [] : [`The cause: ${describeBlocker(code)}.`]
}

const isReason = (text = ''): text is keyof typeof newValueReasons => text in newValueReasons

function toDo(domain: StreamedEvent['domain'], wish: string, line: string): string[] {
  return domain ? [`${wish}\n${line}`] : []
}

function recordLine(domain: StreamedEvent['domain']): string {
  const { host, type, value } = domain?.record ?? { host: '', type: '', value: '' }
  return lineOf(host, type, value)
}

const lineOf = (name: string, type: string, value: string) => `${name}  ${type}  ${value}`

/** After a line break; empty without records. */
function listedRecords({ records = [] }: StreamedEvent['event']['detail']): string {
  return records.map(({ name, type, value }) => `\n${lineOf(name, type, value)}`).join('')
}

/** Such as `31 March 2027, 14:10 UTC`. */
function minuteOf(moment: string): string {
  return `${day(moment)}, ${moment.slice(11, 16)} UTC`
}

/** Such as `31 March 2027`. */
function day(moment: string): string {
  return new Date(moment).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  })
}

/** The authority's text is untrusted input. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\s]+/gu, ' ').slice(0, 500)
}
