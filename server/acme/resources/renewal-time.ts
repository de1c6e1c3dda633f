// The renewal time of a certificate: inside the window that the authority suggests (RFC 9773), otherwise by remaining
// lifetime. Pure: the same certificate and window always give the same time.
import { createHash } from 'node:crypto'

const shortLifeMs = 10 * 86_400_000
/** The last share of the lifetime, in which the suggested window is ignored. */
const lastShare = 0.05

/**
 * All times are milliseconds since the epoch. `point`, from 0 to 1, is the position in the window, which spreads renewals. Without a window, renewal is due when
 * a third of the lifetime remains (half, if it is under ten days); with one, when a twentieth remains at the latest.
 */
export function chooseRenewalTime(
  { notAfter, notBefore }: { notBefore: number; notAfter: number },
  window: { start: number; end: number } | undefined,
  point: number,
): number {
  const life = notAfter - notBefore
  if (!window) return Math.floor(notAfter - life / (life < shortLifeMs ? 2 : 3))
  const suggested = window.start + point * (window.end - window.start)
  return Math.floor(Math.min(suggested, notAfter - life * lastShare))
}

/** A pseudo-random number from 0 to below 1, derived from the text. */
export function pointInWindow(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32
}
