// The complete check of a host by a configuration, from the root servers to the findings, and what answers its probes.

import type { DnsNetwork } from '#dns/queries/dns-network.ts'
import type { ClaimFacts } from '#doctor/evidence.ts'
import { readHostname } from '#doctor/hostname.ts'
import type { Plan } from '#doctor/plan-records.ts'
import { answerProbe, probePortsOf } from '#domains/evidence/fetch-at-address.ts'
import {
  type Check,
  checkDomain,
  domainNetwork,
  type Gathering,
  unclaimed,
} from '#domains/evidence/gather-evidence.ts'
import { readConfig } from '#kit/config/config.ts'
import type { ApiRequest } from '#kit/http/request/request-head.ts'
import { openSecrets } from '#kit/secrets.ts'
import type { listen } from '../../lab/web/web-servers.ts'

export interface Given {
  claim?: Partial<ClaimFacts>
  platform?: Partial<Gathering['platform']>
  plan?: Plan
  /** Of the machine that checks; otherwise that of the configuration. */
  network?: DnsNetwork | Partial<DnsNetwork>
}

/** `env` is the configuration. Without `given` no claim on the host exists. */
export async function checkHost(
  env: Record<string, string>,
  host: string,
  { claim, network, plan, platform }: Given = {},
  clock = Date.now,
): Promise<Check> {
  const config = readConfig(env)
  const subject = readHostname(host, { hosts: [], platformHost: '' }).ok
  if (!subject) throw new Error(`${host} is not a host name`)
  const asked = unclaimed(config, subject)
  const context = {
    network: { ...domainNetwork(config, clock), ...network },
    clock,
    secrets: openSecrets(config),
    probePorts: probePortsOf(config),
  }
  const gathering = {
    subject,
    platform: { ...asked.platform, ...platform },
    claim: { ...asked.claim, ...claim },
  }
  return await checkDomain(context, gathering, plan)
}

/** The responses of a server of ours to the probes of this configuration, for every host. */
export function answerProbes(env: Record<string, string>): Parameters<typeof listen>[2] {
  const probes = answerProbe(openSecrets(readConfig(env)))
  return (asked, response) => {
    const more = { head: { requestId: 'in-the-test' }, extraHeaders: [] }
    probes(Object.assign(asked, more) as unknown as ApiRequest, response)
  }
}
