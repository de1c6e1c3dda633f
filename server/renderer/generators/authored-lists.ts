// Navigation that its authors wrote, as data or as a Markdown list. In the configuration of generators there are lists of pages, of groups with a title and
// what is in them, of folders whose pages are listed by themselves, and of addresses elsewhere. One walk reads all of them: the
// names of their fields differ from generator to generator, and none means something else in another.
import MarkdownIt, { type Token } from 'markdown-it'
import { joinFolder, joinPaths } from '../sources/addresses.ts'
import type { NavigationNode } from '../sources/generator.ts'
import { firstText, inside, recordOf, textOf } from '../sources/plain-values.ts'
import { decoded, isWeb } from './generator-folder.ts'

const maxDepth = 40

const names = {
  title: 'label text group tab anchor dropdown product item name title'.split(' '),
  address: 'href link url to id slug root'.split(' '),
  list: 'languages versions products tabs anchors dropdowns menu groups pages items'.split(' '),
}

interface ListForm {
  /** The folder of the deploy that its folders and pages are in. */
  folder: string
  /** Whether pages are named by their addresses, instead of their paths in the folder. */
  hasAddresses?: boolean
  /** Whether each entry is `title: page`, or `title: list`. */
  hasTitles?: boolean
  /** A value with what another file says in the place of it. */
  whole?(value: unknown): unknown
}

/** `base`: what addresses in it begin with. */
export function nodesOf(given: unknown, form: ListForm, base = '', depth = 0): NavigationNode[] {
  if (depth > maxDepth) return []
  const value = form.whole ? form.whole(given) : given
  const own = textOf(inside(value, 'base')) ?? base
  const inner = (each: unknown) => nodesOf(each, form, own, depth + 1)
  if (Array.isArray(value)) return value.flatMap(inner)
  if (typeof value === 'string') return [leadTo(value, form, base)]
  const fields = recordOf(value)
  const title = firstText(fields, ...names.title)
  const address = firstText(fields, ...names.address) ?? firstText(fields.link, 'id')
  const directory = firstText(fields, 'dirName') ?? firstText(fields.autogenerate, 'directory')
  const children = names.list.flatMap((name) => (name in fields ? inner(fields[name]) : []))
  if (form.hasTitles || (title ?? address ?? directory ?? children[0]) === undefined)
    return Object.entries(fields).flatMap(([title, each]) => {
      if (Array.isArray(each)) return [{ title, children: inner(each) }]
      return form.hasTitles ? inner(each).map((node) => ({ ...node, title })) : []
    })
  if (directory !== undefined) return [{ title, folder: joinFolder(form.folder, directory) }]
  const page = address === undefined ? {} : leadTo(address, form, own)
  if (children.length === 0) return [{ ...page, title }]
  // What has no name only holds others together.
  if (title !== undefined) return [{ ...page, title, children }]
  return address === undefined ? children : [page, ...children]
}

function leadTo(text: string, { folder, hasAddresses }: ListForm, base: string): NavigationNode {
  const path = text.replace(/#.*$/, '')
  if (isWeb(text)) return { to: text }
  if (hasAddresses) return { to: `/${base}${path}`.replaceAll(/\/+/g, '/') }
  if (path.startsWith('/')) return { to: path }
  return path.endsWith('/') ? { folder: joinFolder(folder, path) } : { to: joinPaths(folder, path) }
}

/** Of a site with one group, what is in it. */
export const withoutOnlyGroup = (groups: NavigationNode[]): NavigationNode[] =>
  groups.length === 1 ? (groups[0]?.children ?? []) : groups

const maxLines = 20_000
const markdown = new MarkdownIt({ html: true, maxNesting: 40 })

/**
 * The list of a file such as SUMMARY.md of mdBook and GitBook or _sidebar.md of docsify. Headings are groups, and items that
 * are indented are inside the one above. `folder`: that of the file, to which its links are relative.
 */
export function readContents(text = '', folder = ''): NavigationNode[] {
  const nodes: NavigationNode[] = []
  /** Where entries are added: in the file or the group of a heading, and in the items that are open. */
  let open = [nodes]
  let heading = ''
  const lines = text.split('\n', maxLines).join('\n')
  for (const { children, level, tag, type } of markdown.parse(lines, {})) {
    const list = open.at(-1) ?? nodes
    const item = level > 0 ? list.at(-1) : undefined
    // What follows a rule is no part of the group above.
    if (type === 'hr') open = [nodes]
    if (type === 'heading_open') heading = tag
    if (item && type.endsWith('list_open')) item.children ??= []
    if (type.endsWith('list_open')) open.push(item?.children ?? list)
    if (type.endsWith('list_close')) open.pop()
    if (type !== 'inline') continue
    // The first title is that of the file itself.
    if (heading === '') list.push(...entriesIn(children ?? [], folder))
    else if (heading !== 'h1' || nodes.length > 0) {
      open = [[]]
      nodes.push({ title: titleIn(children ?? []), children: open[0] })
    }
    heading = ''
  }
  return nodes
}

const titleIn = (tokens: Token[]): string =>
  tokens
    .map(({ content, type }) => (type === 'html_inline' ? '' : content))
    .join('')
    .replace(/\{[^{}]*\}\s*$/, '')
    .trim()

/** Links; without one, a group or, if it is empty, a chapter to come. */
function entriesIn(tokens: Token[], folder: string): NavigationNode[] {
  const entries: { to: string | undefined; tokens: Token[] }[] = []
  let isLink = false
  for (const token of tokens) {
    if (token.type === 'link_open') entries.push({ to: addressOf(token, folder), tokens: [] })
    if (/^link_/.test(token.type)) isLink = token.type === 'link_open'
    else if (isLink) entries.at(-1)?.tokens.push(token)
  }
  const title = titleIn(tokens)
  if (entries.length === 0) return title === '' ? [] : [{ title }]
  return entries.map(({ to, tokens }) => ({ title: titleIn(tokens), to }))
}

/** Undefined for a chapter to come. */
function addressOf(link: Token, folder: string): string | undefined {
  const to = decoded(String(link.attrGet('href') ?? '').replace(/#.*$/, ''))
  if (to === '' || isWeb(to) || to.startsWith('/')) return to || undefined
  return joinPaths(folder, to) || 'index'
}
