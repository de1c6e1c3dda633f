// HSTS of the names above a host: a policy with includeSubDomains applies to the host, too (RFC 6797, section 8.2).
import { isWithin, parentOf } from '../../dns/messages/dns-name.ts'
import type { Inquiry } from '../../dns/queries/inquiry.ts'
import { findHostAddresses } from '../../dns/resolution/find-host-addresses.ts'
import type { Subject } from '../evidence/evidence.ts'
import { type HstsPolicy, readHsts } from './hsts.ts'
import { type AddressContext, httpsPortsOf, requestOverHttps } from './request-at-address.ts'

export interface ParentHsts {
  name: string
  policy: HstsPolicy
}

/** More labels are rare. */
const maxParents = 3

/** Of the nearest such name, up to the registrable domain. Undefined without one; never throws. */
export async function findParentHsts(
  inquiry: Inquiry,
  { host, registrableDomain }: Pick<Subject, 'host' | 'registrableDomain'>,
  context: AddressContext,
): Promise<ParentHsts | undefined> {
  const parents: string[] = []
  for (let name = parentOf(host); name && isWithin(name, registrableDomain); name = parentOf(name))
    parents.push(name)
  const found = await Promise.all(
    parents.slice(-maxParents).map(async (name): Promise<ParentHsts | undefined> => {
      const [address] = await findHostAddresses(inquiry, name)
      if (address === undefined) return undefined
      const front = await requestOverHttps(name, address, httpsPortsOf(address, context))
      const policy = readHsts(front?.headers['strict-transport-security'])
      return policy?.includesSubdomains ? { name, policy } : undefined
    }),
  )
  return found.find((each) => each !== undefined)
}
