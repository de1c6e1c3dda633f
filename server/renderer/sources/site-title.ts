// The title of a site that nothing names: its project's name was made for an address.
import type { SourcePage } from './read-pages.ts'

const generalName = /(?:^|-)(?:docs?|documentation|website|site|www|root|monorepo)$/i

const generalTitle =
  /^(?:home|welcome|hello|introduction|overview|index|readme|docs|documentation)$/i

/** Instead of a name that was made for an address: that of the package, or the title of the home page. */
export function siteTitle(
  title: string,
  pages: readonly SourcePage[],
  sources: ReadonlyMap<string, Uint8Array>,
): string {
  if (!/^[a-z0-9-]+$/.test(title)) return title
  const text = new TextDecoder().decode(sources.get('package.json'))
  const name = /^ {0,4}\t?"name":\s*"(?:@[^/"]*\/)?([^"]{1,60})"/m.exec(text)?.[1]
  const own = name?.replace(generalName, '')
  if (own) return own
  const home = pages.find(({ path }) => path === 'index.html')
  const isName = home?.hasTitle && home.title.length <= 60 && !generalTitle.test(home.title)
  return isName ? home.title : title
}
