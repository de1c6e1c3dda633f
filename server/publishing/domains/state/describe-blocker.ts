// A short description of what blocks a certificate request, for event lists, the terminal and e-mails. The
// diagnostic with the same code has more detail while it is in the last check.

const blockers: Record<string, string> = {
  budget: 'the limits of the certificate authority are used up for now',
  expired: 'it has expired',
  https_off: 'certificates are left to what stands in front of this server',
  late: 'it takes longer than half an hour, which is unusual',
  C03: "the platform's own CAA records do not allow it, which the operator must fix",
  C06: 'CAA records could not be looked up',
  D03: 'its name servers could not be asked',
  T01: 'port 80 does not answer',
  T02: 'requests are redirected in a circle',
  T03: 'another server answers in place of this one',
  T05: 'the certificate authority asks to wait',
}

/** `code`: what the domain is blocked by, a diagnostic's code or one of our own. Without a full stop. */
export function describeBlocker(code: string): string {
  const known = blockers[code]
  if (known !== undefined) return known
  if (code.startsWith('C')) return `CAA records do not allow it (${code})`
  if (code.startsWith('D')) return `DNS is not as it should be (${code})`
  return code
}
