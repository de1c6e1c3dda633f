// Slugs: the label of a project's address below the platform host (RFC 1123, section 2.1).

/** One label of a host name: lower-case letters, digits and hyphens, 1 to 63 of them. */
export const slugPattern = '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'

const slugForm = new RegExp(slugPattern)

/** Whether a text has the form of a slug, given or not. */
export function isSlug(text: string): boolean {
  return slugForm.test(text)
}

// What people take for a part of the platform itself, or what mail and browsers ask for by themselves.
const reserved = new Set([
  'account',
  'admin',
  'api',
  'app',
  'autoconfig',
  'autodiscover',
  'dashboard',
  'edge',
  'ftp',
  'imap',
  'internal',
  'localhost',
  'login',
  'mail',
  'mta-sts',
  'ns1',
  'ns2',
  'pop',
  'root',
  'smtp',
  'staging',
  'status',
  'support',
  'system',
  'wpad',
  'www',
])

/** Why a slug that fits the pattern is not given; undefined when it may be. */
export function refuseSlug(slug: string): string | undefined {
  if (reserved.has(slug)) return `${slug} is kept for the platform itself`
  // "xn--" and its like say that a label is encoded (RFC 5890, section 2.3.1).
  if (/^..--/.test(slug)) return 'its third and fourth characters may not both be hyphens'
  return undefined
}

/** A slug made of a name, as a proposal: "My Docs" gives `my-docs`. Empty where nothing is left. */
export function proposeSlug(name: string): string {
  const ascii = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
  const slug = ascii.replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-+|-+$/g, '')
  return slug.slice(0, 63).replace(/-+$/, '')
}
