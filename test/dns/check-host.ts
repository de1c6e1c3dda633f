// The complete check of a host over a test's network: from the root servers to the findings.

import type { DnsNetwork } from '#dns/queries/dns-network.ts'
import type { Subject } from '#doctor/evidence.ts'
import { readHostname } from '#doctor/hostname.ts'
import {
  type Check,
  checkDomain,
  type Gathering,
  noClaim,
} from '#domains/evidence/gather-evidence.ts'
import { portByAddress } from '#kit/network/addresses.ts'
import { openSecrets } from '#kit/secrets.ts'

const secrets = openSecrets({ dataDir: 'not-needed', secretKeys: [Buffer.alloc(32, 7)] })
const probePorts = portByAddress([], 80)

/** No claim on the host exists; nothing is fetched from its addresses, because none is public. */
export function checkHost(
  network: DnsNetwork,
  host: string,
  platformHost: string,
  platform: Partial<Gathering['platform']> = {},
): Promise<Check> {
  const gathering: Gathering = {
    subject: subjectOf(host, platformHost),
    platform: {
      host: platformHost,
      addresses: undefined,
      ownHosts: [],
      authorities: [{ domain: 'letsencrypt.org', methods: ['http-01'] }],
      verification: undefined,
      ...platform,
    },
    claim: noClaim,
  }
  return checkDomain({ network, clock: Date.now, secrets, probePorts }, gathering)
}

function subjectOf(host: string, platformHost: string): Subject {
  const { ok, refused } = readHostname(host, { hosts: [], platformHost })
  if (refused !== undefined) throw new Error(refused)
  return ok
}
