// The addresses of a host at its zone's own servers, of the types that this machine can reach.
import { recordsOfType } from '../messages/exchange.ts'
import type { Inquiry } from '../queries/inquiry.ts'
import { addressTypes } from '../walk/descend.ts'
import { resolveFromZone } from './look-up.ts'

/** Each once; empty where there are none, or no answer. */
export async function findHostAddresses(inquiry: Inquiry, host: string): Promise<string[]> {
  const found = await Promise.all(
    addressTypes(inquiry).map((type) => resolveFromZone(inquiry, { name: host, type })),
  )
  const addresses = found.flatMap(({ records }) =>
    recordsOfType(records, 'A', 'AAAA').map(({ address }) => address),
  )
  return [...new Set(addresses)]
}
