// Slugs: the subdomain of a project below the platform host (RFC 1123, section 2.1).

/** One label of a host name: lower-case letters, digits and hyphens, 1 to 63 of them. */
export const slugPattern = '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'

const slugForm = new RegExp(slugPattern)

/** Whether a text is a well-formed slug, in use or not. */
export function isSlug(text: string): boolean {
  return slugForm.test(text)
}

// Names that could be mistaken for the platform itself, or that mail clients and browsers request automatically.
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

/** Why a well-formed slug cannot be used; undefined if it can. */
export function refuseSlug(slug: string): string | undefined {
  if (reserved.has(slug)) return `${slug} is reserved for the platform`
  // Prefixes such as "xn--" mark encoded labels (RFC 5890, section 2.3.1).
  if (/^..--/.test(slug)) return 'its third and fourth characters must not both be hyphens'
  if (slug.includes('--')) return 'two hyphens in a row are for the addresses of previews'
  return undefined
}

/** Proposes a slug for a name: `my-docs` for "My Docs". Empty if no usable character is left. */
export function proposeSlug(name: string): string {
  const ascii = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
  const slug = ascii.replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-+|-+$/g, '')
  return slug.slice(0, 63).replace(/-+$/, '')
}
