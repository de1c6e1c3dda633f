// The rehearsal: our own token is fetched as the authority will fetch its own, from every public address of the
// host. What it cannot see, the authority would not see either, and an attempt would be spent on it.
import type { PortByAddress } from '../../../platform/network/address-port.ts'
import { httpChallengePath } from '../../acme/resources/challenges.ts'
import type { FindingCode } from '../../domains/doctor/finding.ts'
import type { Evidence } from '../../domains/evidence/evidence.ts'
import { type Fetched, fetchAtAddress } from '../../domains/evidence/fetch-at-address.ts'
import type { CertificateOrder } from '../records/order-rows.ts'

/**
 * Addresses at which the last check has found us. Where the doctor has nothing against it, others are those
 * that only old caches know.
 */
export function addressesOf({ probes }: Evidence): string[] {
  return probes.flatMap(({ address, outcome }) => (outcome.kind === 'ours' ? [address] : []))
}

/** The finding that says why the token cannot be seen everywhere; undefined when it can. Takes 2.5 s at most. */
export async function findHiddenToken(
  { host, keyAuthorization, token }: CertificateOrder,
  addresses: string[],
  ports: PortByAddress,
): Promise<FindingCode | undefined> {
  if (addresses.length === 0) return 'T01'
  const path = httpChallengePath + token
  const seen = await Promise.all(
    addresses.map((address) => fetchAtAddress(host, address, path, ports)),
  )
  const codes = seen.map((fetched) => codeOf(fetched, keyAuthorization))
  return codes.find((code) => code !== undefined)
}

function codeOf(fetched: Fetched, expected: string): FindingCode | undefined {
  if (fetched.kind === 'redirect loop') return 'T02'
  if (fetched.kind !== 'answer') return 'T01'
  // White space at the end is nothing (RFC 8555, section 8.3).
  return fetched.status === 200 && fetched.body.trimEnd() === expected ? undefined : 'T03'
}
