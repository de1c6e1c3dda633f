// The lines of links. Addresses are resolved in the finished HTML of a page, which has no lines: the nth link to an address there
// is the nth in the parsed page.
import type { Token } from 'markdown-it'

const attribute = /\s(?:href|src|poster)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi

export function createLinkLines() {
  let source = ''
  let tokens: readonly Token[] = []
  let lines: Map<string, number[]> | undefined
  return {
    /** To be called before the links of a page are resolved. */
    begin(file: string, parsed: readonly Token[]): void {
      source = file
      tokens = parsed
      lines = undefined
    },
    /** To be called for each link of the page to this address; counted from 0. Undefined if it is not known. */
    next(file: string, href: string): number | undefined {
      if (file !== source) return undefined
      lines ??= linesOfLinks(tokens)
      const found = lines.get(href)
      return found && found.length > 1 ? found.pop() : found?.[0]
    },
  }
}

/** The lines of each address, from the last one. */
function linesOfLinks(tokens: readonly Token[]): Map<string, number[]> {
  const lines = new Map<string, number[]>()
  const add = (href: unknown, line: number) => {
    const known = lines.get(String(href))
    if (known) known.push(line)
    else if (href) lines.set(String(href), [line])
  }
  const addHtml = (html: string, first: number) => {
    let line = first
    let end = 0
    for (const match of html.matchAll(attribute)) {
      line += breaksIn(html.slice(end, match.index + 1))
      end = match.index + 1
      add((match[1] ?? match[2] ?? match[3])?.replaceAll('&amp;', '&'), line)
    }
  }
  let line = 0
  for (const { children, content, map, meta, type } of tokens) {
    line = map?.[0] ?? line
    add((meta?.box as { href?: string } | undefined)?.href, line)
    if (type === 'html_block') addHtml(content, line)
    let breaks = 0
    for (const child of type === 'inline' ? (children ?? []) : []) {
      if (child.type === 'softbreak' || child.type === 'hardbreak') breaks++
      add(child.attrGet('href') ?? child.attrGet('src'), line + breaks)
      if (child.type !== 'html_inline') continue
      addHtml(child.content, line + breaks)
      breaks += breaksIn(child.content)
    }
  }
  for (const found of lines.values()) found.reverse()
  return lines
}

const breaksIn = (text: string) => text.split('\n').length - 1
