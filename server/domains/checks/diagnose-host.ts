// Runs a complete check of a host: gathers evidence, applies planned records, judges. Used by the command, the
// Verify button and the background checks.

import type { ClaimFacts, Subject } from '#doctor/evidence.ts'
import { judge } from '#doctor/judge.ts'
import { applyPlannedRecords, type Plan } from '#doctor/plan-records.ts'
import { type Config, ownHostsOf } from '#kit/config/config.ts'
import {
  type Gathering,
  type GatheringContext,
  gatherEvidence,
} from '../evidence/gather-evidence.ts'

export type Check = Awaited<ReturnType<typeof checkDomain>>

export async function checkDomain(context: GatheringContext, gathering: Gathering, plan?: Plan) {
  const found = await gatherEvidence(context, gathering)
  // `problems`: those of the plan.
  const { evidence, problems } = plan
    ? applyPlannedRecords(found, plan)
    : { evidence: found, problems: [] }
  return { evidence, judged: judge(evidence), problems }
}

/** The claim of a host that is not added. */
export const noClaim: ClaimFacts = {
  addedAt: undefined,
  isProven: false,
  pointedWhenAdded: false,
  heldByOther: 'no',
  heldBefore: false,
  failingSince: undefined,
  partialSince: undefined,
}

/** The subject of a host that is not added. */
export function unclaimed(config: Config, subject: Subject): Gathering {
  return { subject, platform: platformFactsOf(config), claim: noClaim }
}

/** The facts about this platform, from the configuration. */
export function platformFactsOf(config: Config): Gathering['platform'] {
  const { platformAddresses, platformHost } = config
  return {
    host: platformHost,
    addresses: platformAddresses.length > 0 ? platformAddresses : undefined,
    staleAddresses: [],
    ownHosts: ownHostsOf(config),
    authorities: [{ domain: 'letsencrypt.org', methods: ['http-01', 'tls-alpn-01'] }],
    verification: undefined,
  }
}
