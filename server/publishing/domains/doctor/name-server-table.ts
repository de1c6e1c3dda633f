// The propagation clock as a table: which name server has what, and until when caches keep it.
import type { ClockHand, PropagationClock } from './propagation-clock.ts'
import { paint, shown, signs, type TextOptions } from './terminal-text.ts'
import { addressed } from './wording.ts'

/** A line with the count, and one for each server and the resolver. */
export function nameServerTable(clock: PropagationClock, options: TextOptions): string {
  const { forgottenAt, resolver, servers, updated } = clock
  const { formatTime } = options
  const rows = servers.map((hand) => ({ hand, name: addressed(hand.server) }))
  if (resolver) rows.push({ hand: resolver, name: `resolver ${addressed(resolver.server)}` })
  const cells = rows.map(({ hand, name }) => ({
    ...handSigns[hand.has],
    name,
    has: holding(hand),
    kept: hand.keptUntil === undefined ? '' : `kept until ${formatTime(hand.keptUntil)}`,
  }))
  const nameWidth = Math.max(0, ...cells.map(({ name }) => name.length))
  const hasWidth = Math.max(0, ...cells.map(({ has }) => has.length))
  const lines = cells.map(({ colour, has, kept, name, sign }) => {
    const words = `${name.padEnd(nameWidth)}  ${has.padEnd(hasWidth)}  ${kept}`.trimEnd()
    return `   ${paint(sign, colour, options)} ${words}`
  })
  const caches =
    forgottenAt === undefined
      ? ''
      : `; caches have forgotten the rest by ${formatTime(forgottenAt)}`
  return [`   Name servers: ${updated} of ${servers.length} lead here${caches}.`, ...lines].join(
    '\n',
  )
}

const handSigns: Record<ClockHand['has'], { sign: string; colour: number }> = {
  expected: signs.fine,
  other: signs.warns,
  nothing: signs.waits,
  unknown: signs.blocks,
}

const silence: Record<ClockHand['state'], string> = {
  ok: 'no answer',
  lame: 'does not hold the zone',
  refused: 'refuses to answer',
  silent: 'no answer',
  failing: 'an error',
}

function holding({ has, records, state }: ClockHand): string {
  if (has === 'unknown') return silence[state]
  return shown(records.join(', ')) || 'nothing'
}
