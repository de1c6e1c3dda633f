// Judges what the old site of a host means for the switch: HSTS, and pages that would be missing. Pure.
import { counted, listed } from '../doctor/wording.ts'
import type { ParentHsts } from './find-parent-hsts.ts'
import { formatSpan, readHsts } from './hsts.ts'
import { type JudgedItem, passed } from './judged-item.ts'
import type { PagesHere } from './look-at-old-site.ts'

/**
 * Browsers that have the policy let nobody go on past an error of the certificate (RFC 6797, section 12.1).
 * `isOfProxy`: a proxy in front of this server provides the certificate. `parent`: a name above the host, whose policy
 * includes it.
 */
export function judgeHsts(
  header: string | undefined,
  {
    isOfProxy,
    isPresented,
    parent,
  }: { isPresented: boolean; isOfProxy: boolean; parent?: ParentHsts | undefined },
): JudgedItem | undefined {
  const own = readHsts(header)
  const policy = own ?? parent?.policy
  if (!policy) return undefined
  const site = own || !parent ? 'The old site' : parent.name
  const span = formatSpan(policy.maxAgeSeconds)
  const below = policy.includesSubdomains ? ', for this name and all below it' : ''
  const scope = own ? below : `, for all names below ${site}`
  if (isPresented) {
    return passed(
      'Ready for HSTS',
      `${site} has browsers use only HTTPS for ${span}${scope}. The certificate is ready for that.`,
    )
  }
  return {
    state: 'advice',
    title: `${site} sends HSTS`,
    detail: `Browsers of its visitors use only HTTPS for ${span}${scope}, and do not let them continue past a certificate error. A switch without a certificate locks these visitors out.`,
    fix: isOfProxy
      ? 'Do not switch before the proxy has a certificate for this host.'
      : 'Do not switch before the certificate is issued and presented at every address.',
  }
}

const maxPathsNamed = 5

export function judgePages(pages: PagesHere | undefined): JudgedItem | undefined {
  if (!pages || pages.checked === 0) return undefined
  const { checked, missing } = pages
  if (missing.length === 0) {
    return passed(
      'Pages of the old site exist',
      `We requested ${counted(checked, 'page')} of its sitemap here, and found all of them.`,
    )
  }
  const rest = missing.length - maxPathsNamed
  const named = rest > 0 ? [...missing.slice(0, maxPathsNamed), `${rest} more`] : missing
  return {
    state: 'advice',
    title: `${counted(missing.length, 'page')} of the old site would be missing`,
    detail: `Of ${counted(checked, 'page')} in its sitemap, these are not found here: ${listed(named)}.`,
    fix: 'Publish them, or redirect their addresses by a file _redirects in the deploy.',
    paths: missing,
  }
}
