// llms.txt (llmstxt.org): the site in one Markdown file, for programs that read. Each link leads to the
// Markdown of a page.
import { encodePath, markdownPath } from '../sources/addresses.ts'
import { originPlaceholder } from '../sources/render-input.ts'
import { type NavigationItem, readingOrder } from './navigation.ts'

export interface LlmsSite {
  title: string
  description: string | undefined
  navigation: readonly NavigationItem[]
  /** By path of the page. */
  descriptions: ReadonlyMap<string, string>
  /** Whether the page is published as Markdown, too. */
  hasMarkdown(path: string): boolean
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
    const file = site.hasMarkdown(path) ? markdownPath(path) : path
    const description = site.descriptions.get(path)
    const name = line(item.title).replaceAll(/[[\]\\]/g, '\\$&')
    return `- [${name}](${originPlaceholder}${encodePath(file)})${description ? `: ${line(description)}` : ''}`
  })
  return `## ${line(title)}\n\n${links.join('\n')}`
}

const line = (text: string) => text.replaceAll(/\s+/g, ' ').trim()
