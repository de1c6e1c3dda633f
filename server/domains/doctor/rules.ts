// All rules by their codes, in the order of their diagnostics: the first diagnostic is the headline. Those of a certificate
// before the switch come first. D16, D20 and
// D21 come before D10, because addresses that point to us are not a conflict.
import * as addresses from './address-rules.ts'
import * as caa from './caa-rules.ts'
import * as certificates from './certificate-rules.ts'
import * as claims from './claim-rules.ts'
import * as cnames from './cname-rules.ts'
import type { Finding, Rule } from './diagnostic.ts'
import * as preparation from './preparation-rules.ts'
import * as probes from './probe-rules.ts'
import * as records from './record-rules.ts'
import * as zones from './zone-rules.ts'

export const rules = {
  M01: preparation.caaOfOtherPlatform,
  M02: preparation.challengeIsAlias,
  M03: preparation.someServers,
  M04: preparation.replacedValue,
  M09: preparation.wrongValue,
  M10: preparation.caaAfterSwitch,
  M11: preparation.orderTooShort,
  M12: preparation.notOffered,
  M13: preparation.onlyWildcard,
  D01: zones.notAHost,
  D02: zones.notRegistered,
  D03: zones.deadServers,
  D04: zones.brokenDnssec,
  D05: records.doubledName,
  D06: cnames.appendedValue,
  D07: records.noRecord,
  D08: records.someServers,
  D09: records.oldCaches,
  D16: addresses.ownAddresses,
  D20: addresses.proxyWorks,
  D21: addresses.proxyFails,
  D10: addresses.conflict,
  D11: cnames.crowdedCname,
  D12: cnames.otherTarget,
  D13: cnames.chain,
  D14: cnames.loop,
  D15: cnames.cnameAtApex,
  D17: addresses.noAlias,
  D18: addresses.someElsewhere,
  D19: addresses.ipv6Elsewhere,
  D22: probes.otherPlatform,
  D23: claims.wildcard,
  D24: claims.heldElsewhere,
  D25: claims.wrongVerification,
  C01: caa.notListed,
  C02: caa.allForbidden,
  C03: caa.platformCaaForbids,
  C04: caa.bound,
  C05: caa.unknownTag,
  C06: caa.failing,
  C07: caa.wildcardsOnly,
  T01: probes.noAnswer,
  T02: probes.redirectLoop,
  T03: probes.otherAnswer,
  T04: certificates.notValidated,
  T05: certificates.rateLimited,
  T06: certificates.authorityFails,
  T07: certificates.rejected,
  T08: certificates.otherCertificate,
  T09: certificates.expiresSoon,
  T10: certificates.refused,
} satisfies Record<string, Rule>

export type DiagnosticCode = keyof typeof rules
export type Diagnostic = Finding & { code: DiagnosticCode }

/** About the authority's last answer: they do not prevent a new attempt, and end with a certificate. */
const codes: DiagnosticCode[] = ['T04', 'T05', 'T06', 'T07', 'T09', 'T10']
export const answersOfAuthority: string[] = codes
