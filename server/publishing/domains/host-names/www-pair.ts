// Hosts that people take for one: a domain and its www. Whoever has one of them wants the other one, too.
import type { Hostname } from './hostname.ts'

/** The other one; undefined for hosts that come alone. */
export function pairOf({ isApex, label, zone }: Hostname): string | undefined {
  if (isApex) return `www.${zone}`
  return label === 'www' ? zone : undefined
}
