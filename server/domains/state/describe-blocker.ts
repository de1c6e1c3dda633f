// A short description of what blocks a certificate request, for event lists, the terminal and e-mails. The
// diagnostic with the same code has more detail while it is in the last check.

const blockers: Record<string, string> = {
  budget: 'the limits of the certificate authority are used up for now',
  expired: 'it has expired',
  https_off: 'the proxy in front of this server provides certificates',
  late: 'it takes longer than half an hour',
  C03: "the platform's own CAA records do not allow it, which the operator must fix",
  C06: 'CAA records could not be looked up',
  D03: 'its name servers did not answer',
  M01: 'CAA records of the platform that it points to now do not allow it',
  M02: 'the name of its TXT record is a CNAME',
  M11: 'the certificate authority does not wait long enough for a TXT record',
  M12: 'the certificate authority does not offer this validation by DNS',
  M13: 'it exists only by a wildcard',
  T01: 'port 80 does not answer',
  T02: 'requests are redirected in a loop',
  T03: 'another server answers its requests',
  T05: 'the certificate authority limits requests for now',
}

/** `code`: what the domain is blocked by, a diagnostic's code or one of our own. Without a full stop. */
export function describeBlocker(code: string): string {
  const known = blockers[code]
  if (known !== undefined) return known
  if (code.startsWith('C')) return `CAA records do not allow it (${code})`
  if (code.startsWith('D')) return `DNS must be fixed (${code})`
  return code
}
