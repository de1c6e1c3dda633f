// Files for programs: sitemap.xml (sitemaps.org, version 0.9), robots.txt (RFC 9309) and llms.txt (llmstxt.org).
import { escapeHtml } from '../markdown/html.ts'
import { encodePath, hrefOf, markdownPath } from '../sources/addresses.ts'
import { originPlaceholder } from '../sources/render-input.ts'
import { type NavigationItem, readingOrder } from './navigation.ts'

/** `updates`: the days of their last changes, where they are known. */
export function sitemap(
  paths: readonly string[],
  updates: ReadonlyMap<string, string | undefined>,
): string {
  const urls = paths.map((path) => {
    const day = updates.get(path)
    const changed = day === undefined ? '' : `<lastmod>${day}</lastmod>`
    return `<url><loc>${escapeHtml(originPlaceholder + hrefOf(path))}</loc>${changed}</url>\n`
  })
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls.join('')}</urlset>\n`
}

export function robots(): string {
  return `User-agent: *\nAllow: /\n\nSitemap: ${originPlaceholder}/sitemap.xml\n`
}

interface LlmsSite {
  title: string
  description: string | undefined
  navigation: readonly NavigationItem[]
  /** By path of the page. */
  descriptions: ReadonlyMap<string, string>
  /** Paths of the pages that are also published as Markdown. */
  readable: ReadonlySet<string>
}

export function llms(site: LlmsSite): string {
  const pages = site.navigation.filter((item) => item.children === undefined)
  const groups = site.navigation.filter((item) => item.children !== undefined)
  const sections = [
    ...(pages.length > 0 ? [section('Pages', pages, site)] : []),
    ...groups.map((group) => section(group.title, [group], site)),
  ]
  const summary = site.description === undefined ? [] : [`> ${line(site.description)}`]
  return `${[`# ${line(site.title)}`, ...summary, ...sections].join('\n\n')}\n`
}

function section(title: string, items: NavigationItem[], site: LlmsSite): string {
  const links = readingOrder(items).map((item) => {
    const path = item.path ?? ''
    const file = site.readable.has(path) ? markdownPath(path) : path
    const description = site.descriptions.get(path)
    const name = line(item.title).replaceAll(/[[\]\\]/g, '\\$&')
    return `- [${name}](${originPlaceholder}${encodePath(file)})${description ? `: ${line(description)}` : ''}`
  })
  return `## ${line(title)}\n\n${links.join('\n')}`
}

const line = (text: string) => text.replaceAll(/\s+/g, ' ').trim()
