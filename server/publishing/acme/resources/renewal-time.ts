// When a certificate is renewed: inside the window that the authority suggests (RFC 9773), else when a share
// of its life is left. Pure: the same certificate and window always give the same moment.
import { createHash } from 'node:crypto'

/** All in milliseconds since the epoch. */
export interface Life {
  notBefore: number
  notAfter: number
}

export interface RenewalWindow {
  start: number
  end: number
}

const shortLifeMs = 10 * 86_400_000
/** Of the life, at its end: the authority's suggestion no longer counts. */
const lastShare = 0.05

/**
 * `point`, from 0 to 1, is where in the window, so that not all renew at once. Without a window a third of
 * the life is left, or half of one under ten days; with one, a twentieth at least.
 */
export function chooseRenewalTime(
  { notAfter, notBefore }: Life,
  window: RenewalWindow | undefined,
  point: number,
): number {
  const life = notAfter - notBefore
  if (!window) return Math.floor(notAfter - life / (life < shortLifeMs ? 2 : 3))
  const suggested = window.start + point * (window.end - window.start)
  return Math.floor(Math.min(suggested, notAfter - life * lastShare))
}

/** A number from 0 to below 1 that looks random and is always the same for the same text. */
export function pointInWindow(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32
}
