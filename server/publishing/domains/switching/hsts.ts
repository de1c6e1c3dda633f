// HTTP Strict Transport Security (RFC 6797): the policy of a response, and its time in words.
import { counted } from '../doctor/wording.ts'

export interface HstsPolicy {
  maxAgeSeconds: number
  includesSubdomains: boolean
}

/** Undefined without a policy, with an invalid one, and with one that ends it (section 6.1). */
export function readHsts(header: string | undefined): HstsPolicy | undefined {
  const directives = (header ?? '').split(';').map((part) => part.trim().toLowerCase())
  const ages = directives.flatMap((part) => /^max-age\s*=\s*"?(\d{1,12})"?$/.exec(part)?.[1] ?? [])
  const [age] = ages
  if (age === undefined || ages.length > 1 || Number(age) === 0) return undefined
  return {
    maxAgeSeconds: Number(age),
    includesSubdomains: directives.includes('includesubdomains'),
  }
}

const units: [seconds: number, noun: string][] = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
]

/** In the largest unit of which there are two: `365 days`, `36 hours`. */
export function formatSpan(seconds: number): string {
  const [size, noun] = units.find(([unit]) => seconds >= 2 * unit) ?? [1, 'second']
  return counted(Math.floor(seconds / size), noun)
}
