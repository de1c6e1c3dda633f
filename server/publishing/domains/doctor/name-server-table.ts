// The propagation clock as a table: which name server has what, and until when caches keep it.
import type { NameServerStatus, PropagationClock } from './propagation-clock.ts'
import { paint, shown, signs, type TextOptions } from './terminal-text.ts'
import { addressed } from './wording.ts'

/** A line with the count, and one for each server and the resolver. */
export function nameServerTable(clock: PropagationClock, options: TextOptions): string {
  const { cachedUntil, resolver, servers, updated } = clock
  const { formatTime } = options
  const rows = servers.map((status) => ({ status, name: addressed(status.server) }))
  if (resolver) rows.push({ status: resolver, name: `resolver ${addressed(resolver.server)}` })
  const cells = rows.map(({ status, name }) => ({
    ...answerSigns[status.answer],
    name,
    answer: holding(status),
    kept: status.cachedUntil === undefined ? '' : `cached until ${formatTime(status.cachedUntil)}`,
  }))
  const nameWidth = Math.max(0, ...cells.map(({ name }) => name.length))
  const hasWidth = Math.max(0, ...cells.map(({ answer }) => answer.length))
  const lines = cells.map(({ colour, answer, kept, name, sign }) => {
    const words = `${name.padEnd(nameWidth)}  ${answer.padEnd(hasWidth)}  ${kept}`.trimEnd()
    return `   ${paint(sign, colour, options)} ${words}`
  })
  const caches =
    cachedUntil === undefined ? '' : `; the rest is cached until ${formatTime(cachedUntil)}`
  return [`   Name servers: ${updated} of ${servers.length} point to us${caches}.`, ...lines].join(
    '\n',
  )
}

const answerSigns: Record<NameServerStatus['answer'], { sign: string; colour: number }> = {
  correct: signs.fine,
  wrong: signs.warns,
  missing: signs.waits,
  unknown: signs.blocks,
}

const silence: Record<NameServerStatus['state'], string> = {
  ok: 'no answer',
  lame: 'does not hold the zone',
  refused: 'refuses to answer',
  timeout: 'no answer',
  error: 'an error',
}

function holding({ answer, records, state }: NameServerStatus): string {
  if (answer === 'unknown') return silence[state]
  return shown(records.join(', ')) || 'nothing'
}
