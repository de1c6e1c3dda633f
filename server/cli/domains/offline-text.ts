// How it was seen that a removed domain is not served any more, in one line.
import type { RemovedDomain } from '../../publishing/domains/api/schema.ts'

/** With a line break in front; empty where nothing was served, or nobody serves. */
export function offlineText({ offline }: Pick<RemovedDomain, 'offline'>): string {
  if (!offline || offline.nodes.living === 0) return ''
  const { connectionsCut, http, nodes, seconds, tls } = offline
  const count = `${nodes.acknowledged} of ${nodes.living} ${nodes.living === 1 ? 'node' : 'nodes'}`
  const cut = connectionsCut === 1 ? '1 open connection' : `${connectionsCut} open connections`
  const asked = [
    ...(tls === null ? [] : [`HTTPS ${tlsWords[tls]}`]),
    ...(http === null ? [] : [`HTTP ${http}`]),
  ]
  const seen = asked.length > 0 ? ` Tried then: ${asked.join(', ')}.` : ''
  return `\nStopped on ${count} in ${seconds.toFixed(2)} s, ${cut} cut.${seen}`
}

const tlsWords = { refused: 'refused', answered: 'still answered', no_answer: 'no answer' } as const
