// All rules, in the order of their diagnostics: the first diagnostic is the headline. D16, D20 and D21 come
// before D10, because addresses that point to us are not a conflict.
import { addressRules } from './address-rules.ts'
import { caaRules } from './caa-rules.ts'
import { certificateRules } from './certificate-rules.ts'
import { claimRules } from './claim-rules.ts'
import { cnameRules } from './cname-rules.ts'
import { probeRules } from './probe-rules.ts'
import { recordRules } from './record-rules.ts'
import type { Rule } from './rule.ts'
import { zoneRules } from './zone-rules.ts'

export const rules: readonly Rule[] = [
  ...zoneRules,
  recordRules.doubledName,
  cnameRules.appendedValue,
  recordRules.noRecord,
  recordRules.someServers,
  recordRules.oldCaches,
  addressRules.ownAddresses,
  addressRules.proxyWorks,
  addressRules.proxyFails,
  addressRules.conflict,
  cnameRules.crowdedCname,
  cnameRules.otherTarget,
  cnameRules.chain,
  cnameRules.loop,
  cnameRules.cnameAtApex,
  addressRules.noAlias,
  addressRules.someElsewhere,
  addressRules.ipv6Elsewhere,
  probeRules.otherPlatform,
  ...claimRules,
  ...caaRules,
  probeRules.noAnswer,
  probeRules.redirectLoop,
  probeRules.otherAnswer,
  ...certificateRules,
]
