// What people are told about Domain Connect: why a click is not offered, and what a return means. Texts of a provider
// are never shown, except for its name.

import type { Connection } from './connections.ts'
import type { UnavailableReason } from './schema.ts'

interface Facts {
  /** The provider's name, or the host of its settings. */
  name: string
  detail: string | undefined
}

const noResponse = ({ detail, name }: Facts): string =>
  `${name} does not respond as expected now${detail === undefined ? '' : ` (${detail})`}. Create the record yourself, or try again later.`

/** None where the owner has no use for it: the provider does not take part, or no click is needed. */
const unavailable: Partial<Record<UnavailableReason, (facts: Facts) => string>> = {
  held_by_other: () =>
    'One click is not possible while another account holds or claims this name. Create the TXT record yourself.',
  unreachable: noResponse,
  invalid_settings: ({ name }) =>
    `The settings of ${name} cannot be read, so one click is not possible. Create the record yourself.`,
  left_over: ({ name }) =>
    `The zone has a Domain Connect record of ${name}, but other name servers: it was probably moved. Create the record at the present provider.`,
  manual_only: ({ name }) =>
    `${name} offers no page for one click. Create the record there yourself.`,
  other_site: ({ name }) =>
    `The settings of ${name} refer to a site that does not belong to it, so it is not opened. Create the record yourself.`,
  template_unknown: ({ name }) =>
    `${name} supports one click, but does not know this platform yet. Create the record yourself.`,
  template_old: ({ name }) =>
    `${name} has an earlier version of this platform's template. Create the record yourself.`,
  template_unreachable: noResponse,
}

export function explainUnavailable(
  reason: UnavailableReason,
  { detail, name = 'The DNS provider' }: { detail?: string | undefined; name?: string | undefined },
): string | null {
  return unavailable[reason]?.({ detail, name }) ?? null
}

/** The errors of RFC 6749, section 4.1.2.1. */
const errors: Record<string, string> = {
  invalid_request: 'It did not accept the request',
  unauthorized_client: 'It did not accept the signature of this platform',
  access_denied: 'It did not allow the change',
  server_error: 'It had an internal error',
  temporarily_unavailable: 'It is not available now',
}

/** Of a click that has not returned, whose records DNS does not have. */
export function explainOpen(provider: string, isLate: boolean): string {
  if (!isLate)
    return `Waiting for the confirmation at ${provider}. Your name servers are checked automatically.`
  return `${provider} has not sent the browser back, and your name servers do not have the records yet. Try again, or create the record yourself.`
}

/** `isSet`: whether DNS has the records by now. */
export function explainReturn(
  { error, outcome, provider }: Pick<Connection, 'error' | 'outcome' | 'provider'>,
  isSet: boolean,
): string {
  if (isSet) {
    return outcome === 'done'
      ? `${provider} has set the records.`
      : `${provider} reported that nothing was changed, but the records are there.`
  }
  if (outcome === 'done') {
    return `${provider} reports that the records are set. Your name servers do not have them yet; this can take a few minutes, and they are checked automatically.`
  }
  if (outcome === 'cancelled') {
    return `You cancelled at ${provider}. Nothing was changed in DNS.`
  }
  const what = errors[error ?? ''] ?? 'It reported an error'
  return `${provider} did not set the records. ${what}. Try again, or create the record yourself.`
}
