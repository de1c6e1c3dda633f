// A whole check of a host: gathered, with planned records laid over it if there are any, and judged. The
// command, the Verify button and the background all go this way.
import { type Config, ownHostsOf } from '../../../platform/config/config.ts'
import { type Diagnosis, judge } from '../doctor/judge.ts'
import { applyPlannedRecords } from '../doctor/plan-records.ts'
import type { Plan } from '../doctor/read-plan.ts'
import type { ClaimFacts, Evidence, Subject } from '../evidence/evidence.ts'
import {
  type Gathering,
  type GatheringContext,
  gatherEvidence,
} from '../evidence/gather-evidence.ts'

export interface Check {
  evidence: Evidence
  judged: Diagnosis
  /** What could not be foreseen of a plan. */
  problems: string[]
}

export async function checkDomain(
  context: GatheringContext,
  gathering: Gathering,
  plan?: Plan,
): Promise<Check> {
  const found = await gatherEvidence(context, gathering)
  if (!plan) return { evidence: found, judged: judge(found), problems: [] }
  const { evidence, problems } = applyPlannedRecords(found, plan)
  return { evidence, judged: judge(evidence), problems }
}

/** What our own records say of a host that nobody has added. */
export const noClaim: ClaimFacts = {
  addedAt: undefined,
  isProven: false,
  pointedWhenAdded: false,
  heldByOther: 'no',
  heldBefore: false,
  failingSince: undefined,
  partialSince: undefined,
}

/** What is asked of a host that nobody has added. */
export function unclaimed(config: Config, subject: Subject): Gathering {
  return {
    subject,
    platform: platformFactsOf(config),
    claim: noClaim,
  }
}

/** What belongs to this program, by its configuration. */
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
