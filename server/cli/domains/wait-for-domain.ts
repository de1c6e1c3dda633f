// Waits until a domain is served over HTTPS, or its owner has to do something about it.

import type { Domain } from '../../publishing/domains/api/schema.ts'
import type { Badge } from '../../publishing/domains/state/badge.ts'
import type { Call } from './on-domains.ts'

export interface DomainWait {
  /** Milliseconds. */
  timeoutMs: number
  /** Called with each look at it. */
  onLook(domain: Domain): void
  /** Milliseconds that never go back. */
  now(): number
  wait(ms: number): Promise<unknown>
}

export interface WaitResult {
  domain: Domain
  /** `owner`: nothing goes on before somebody mends something. */
  result: 'active' | 'owner' | 'late'
}

const lookEveryMs = 1000
/** As often as the dashboard does while its page is open. */
const verifyEveryMs = 15_000
/** What passes by itself, or as soon as the owner has made the record that he was told. */
const passing: readonly Badge[] = [
  'add_dns_record',
  'propagating',
  'issuing_certificate',
  'retrying',
]

/** Throws what the server answers, unless it is away for a while. */
export async function waitForDomain(
  call: Call,
  first: Domain,
  { now, onLook, timeoutMs, wait }: DomainWait,
): Promise<WaitResult> {
  const params = { slug: first.project, host: first.host }
  const begun = now()
  let verified = begun
  let domain = first
  for (;;) {
    onLook(domain)
    if (domain.badge === 'active') return { domain, result: 'active' }
    if (!passing.includes(domain.badge)) return { domain, result: 'owner' }
    const left = timeoutMs - (now() - begun)
    if (left <= 0) return { domain, result: 'late' }
    await wait(Math.min(lookEveryMs, left))
    const isVerified = domain.dns === 'ok' && domain.ownership === 'proven'
    const isTime = now() - verified >= verifyEveryMs
    try {
      if (!isVerified && isTime) {
        verified = now()
        domain = await call('POST /projects/{slug}/domains/{host}/verify', { params })
      } else {
        domain = await call('GET /projects/{slug}/domains/{host}', { params })
      }
    } catch (error) {
      const { code } = error as { code?: string }
      if (code !== 'unreachable' && code !== 'unavailable') throw error
      if (now() - begun >= timeoutMs) throw error
    }
  }
}
