// What the support of a DNS provider or an operator needs to know, as plain text to paste. It holds no secrets.

import type { Answer } from '../../../client/management-client.ts'
import { badges } from '../../../client/values/domain-badges.ts'
import type { Domain, LastCheck } from './domain-queries.ts'

/** The diagnostics of the last check, with found and expected values. */
export function textOfDiagnostics({ badge, check, host }: Domain, link: string): string {
  const state = `${host}: ${badges[badge].title}`
  const head = [state, `Checked: ${check?.at ?? 'not yet'}`, `Link: ${link}`].join('\n')
  return [head, ...(check?.diagnostics ?? []).map(textOfDiagnostic)].join('\n\n')
}

function textOfDiagnostic({
  code,
  detail,
  expected,
  fix,
  found,
  title,
}: LastCheck['diagnostics'][number]): string {
  return [
    `${code}: ${title}`,
    detail,
    ...found.map((value) => `Found:    ${value}`),
    ...(found.length === 0 && expected.length > 0 ? ['Found:    nothing'] : []),
    ...expected.map((value) => `Expected: ${value}`),
    ...(fix ? [`What to do: ${fix.text}`] : []),
  ].join('\n')
}

/** That a removed domain is offline, and how that was tested. `at`: RFC 3339. */
export function textOfRemoval(
  removed: Answer<'DELETE /projects/{slug}/domains/{host}'>,
  at: string,
): string {
  const { heldUntil, host, offline, records } = removed
  const tested = offline
    ? [
        `Offline after: ${offline.seconds.toFixed(2)} s`,
        `Processes that closed their connections: ${offline.nodes.acknowledged} of ${offline.nodes.living}`,
        `Closed connections: ${offline.connectionsCut}`,
        `TLS handshake: ${offline.tls?.replace('_', ' ') ?? 'not tested'}`,
        `HTTP request: ${offline.http === null ? 'not tested' : `status ${offline.http}`}`,
      ]
    : ['It was not served yet.']
  return [
    `${host} was removed`,
    `Removed: ${at}`,
    ...tested,
    ...records.map(({ name, type, value }) => `DNS record to delete: ${name} ${type} ${value}`),
    ...(heldUntil === null ? [] : [`Reserved until: ${heldUntil}`]),
  ].join('\n')
}
