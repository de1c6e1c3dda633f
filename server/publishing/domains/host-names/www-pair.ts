// Hosts that people take for one: a domain and its www. Whoever has one of them wants the other one, too.
import type { Hostname } from './hostname.ts'

/** The other one; undefined for hosts that come alone. */
export function wwwPairOf({ isApex, label, registrableDomain }: Hostname): string | undefined {
  if (isApex) return `www.${registrableDomain}`
  return label === 'www' ? registrableDomain : undefined
}
