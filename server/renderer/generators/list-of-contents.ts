// Navigation that its authors wrote as a Markdown list: SUMMARY.md of mdBook and GitBook, _sidebar.md of docsify. Headings are
// groups, indented items are inside the one above, and an item without a link is a group or, if empty, a chapter to come.
import { joinPaths } from '../sources/addresses.ts'
import type { NavigationNode } from '../sources/generator.ts'
import { decoded, isWeb } from './generator-folder.ts'

const maxLines = 20_000
const maxDepth = 20
const entry = /^([ \t]*)(?:[-*+]|\d+[.)])[ \t]+(.*)$/
const linked =
  /^\[((?:[^[\]]|\[[^[\]]*\])*)\]\((?:<([^>]*)>|([^()\s]*(?:\([^()\s]*\)[^()\s]*)*))(?:[ \t]+["'][^"']*["'])?\)/

/** `folder`: that of the file, to which its links are relative. */
export function readContents(text: string, folder: string): NavigationNode[] {
  const nodes: NavigationNode[] = []
  let list = nodes
  /** The open items, with their indentation. */
  let open: { indent: number; node: NavigationNode }[] = []
  for (const line of text.split('\n').slice(0, maxLines)) {
    const heading = /^(#{1,6})[ \t]+(.*)$/.exec(line)
    if (heading) {
      open = []
      const title = plain(heading[2] ?? '')
      // The title of the file itself.
      if (nodes.length === 0 && heading[1] === '#') continue
      const group = { title, children: [] }
      nodes.push(group)
      list = group.children
      continue
    }
    if (/^[ \t]*(?:-{3,}|\*{3,})[ \t]*$/.test(line)) {
      // What follows the rule is no part of the group above.
      list = nodes
      continue
    }
    const item = entry.exec(line)
    const content = item?.[2] ?? (/^\[/.test(line) ? line : undefined)
    if (content === undefined || content.trim() === '') continue
    const indent = item ? (item[1] ?? '').replaceAll('\t', '    ').length : -1
    while (open.length > 0 && (open.at(-1)?.indent ?? 0) >= indent) open.pop()
    const node = nodeFrom(content, folder)
    const parent = open.length < maxDepth ? open.at(-1)?.node : undefined
    if (parent) {
      parent.children ??= []
      parent.children.push(node)
    } else list.push(node)
    if (item) open.push({ indent, node })
  }
  return nodes
}

function nodeFrom(content: string, folder: string): NavigationNode {
  const link = linked.exec(content.trim())
  if (!link) return { title: plain(content) }
  const title = plain(link[1] ?? '')
  const to = decoded((link[2] ?? link[3] ?? '').replace(/#.*$/, ''))
  if (to === '') return { title }
  if (isWeb(to) || to.startsWith('/')) return { title, to }
  return { title, to: joinPaths(folder, to) || 'index' }
}

function plain(text: string): string {
  return text
    .replaceAll(/<[^<>]*>|[*`]|\{[^{}]*\}[ \t]*$/g, '')
    .replaceAll(/\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replaceAll(/\\([^\w\s])/g, '$1')
    .replace(/(?<!#)#+[ \t]*$/, '')
    .trim()
}
