// What the tags of GitBook and Jekyll, and the shortcodes of Hugo's themes, stand for.
import { type Box, calloutOf, type Tone, tableOf } from '../markdown/boxes.ts'
import { capital } from '../sources/plain-text.ts'
import { boxNamed } from './box-names.ts'
import type { Tag } from './tag-scanner.ts'

export interface Meaning {
  /** With the content of the tag, if it has an end, as Markdown. */
  box?: Box
  /** The content is code: its language, and what else follows the marks of a fence. */
  code?: string
  /** Inline Markdown that stands for the tag and its content. */
  text?: string
  /** Nothing of it is shown: on purpose, or for want of its file. */
  isDropped?: true
  /** An element of the author around the content, which is only text if it `isInline`. */
  element?: { start: string; end: string; isInline: boolean }
  note?: 'include'
}

/** Elements whose `markdown` attribute says that there is Markdown in them (md_in_html, kramdown). */
export function meaningOfElement(tag: Tag, source: string, around: Tag[]): Meaning | undefined {
  const { name, named, positional, end } = tag
  const mode = named.markdown ?? (positional.includes('markdown') ? '' : undefined)
  const isSummary = name === 'summary' && around.at(-1)?.syntax === 'html'
  if (!end || mode === '0' || (mode === undefined && !isSummary)) return undefined
  const classes = named.class?.split(' ') ?? []
  if (classes.includes('grid'))
    return { box: { kind: classes.includes('cards') ? 'cards' : 'columns' } }
  const isInline = mode === 'span' || /^(?:p|span|summary|figcaption)$/.test(name)
  const start = source.slice(tag.from, tag.to)
  return { element: { start, end: source.slice(end.from, end.to), isInline } }
}

/** What the meaning of a tag depends on. */
interface Use extends Pick<Tag, 'named' | 'rest'> {
  /** Its arguments without a name. */
  first: string | undefined
  second: string | undefined
  title: string | undefined
  href: string | undefined
  content: string | undefined
  around: Tag[]
}

type Writer = (use: Use) => Meaning | undefined

/** `content`: what is between the tag and its end. `around`: the tags that it is in, the innermost last. */
export function meaningOf(
  { named, positional, name, rest }: Tag,
  content: string | undefined,
  around: Tag[],
): Meaning | undefined {
  const [first, second] = positional
  const title = named.title ?? named.header ?? named.summary ?? named.label ?? named.name
  const href = named.href ?? named.link ?? named.url ?? named.src
  const known = meanings.get(name)
  if (known) return known({ named, rest, first, second, title, href, content, around })
  if (name.startsWith('blocks/')) return { box: { kind: 'group' } }
  const isOpen = named.open !== undefined || named.closed === 'false'
  const box = boxNamed(name, { title: title ?? first, href, isOpen })
  return box && { box }
}

const callout: Writer = ({ named, first, second, title }) => {
  const kind = named.style ?? named.type ?? named.color ?? named.context ?? first ?? 'note'
  return { box: calloutOf([kind], title ?? second) }
}

const linkCard: Writer = ({ href, first, content }) => {
  const [, text = ''] = /\[([^\]\n]{1,200})\]\(/.exec(content ?? '') ?? []
  const isPath = text === '' || /^[^\s]*\.\w+$/.test(text) || text === href
  const title = isPath ? nameOf(href ?? first ?? '') : text
  return { box: { kind: 'card', title, ...(href && { href }) } }
}

const settings: Writer = ({ named, content }) => {
  if (content === undefined) return undefined
  const language = languageOf(content)
  const file = (named.file ?? named.filename)?.replaceAll('"', '')
  return { code: language + (file ? ` title="${file}.${language}"` : '') }
}

const tab: Writer = ({ named, rest, first, title, content, around }) => {
  if (/\bdisabled=/.test(rest)) return { isDropped: true }
  const set = around.findLast((each) => each.name.startsWith('tab'))
  const items = set?.named.items?.split(',') ?? []
  const label = title ?? first ?? items.shift()?.trim() ?? ''
  if (set?.named.items !== undefined) set.named.items = items.join(',')
  // Docsy: between `<` and `>`, code, unless the group or the tab says otherwise.
  const isCode = set?.name === 'tabpane' && !/text/.test(set.rest) && !/text/.test(rest)
  const code = isCode && content?.includes('\n') && (named.lang ?? set?.named.lang ?? '')
  return { box: { kind: 'tab', title: label }, ...(typeof code === 'string' && { code }) }
}

const image: Writer = ({ named, first, title, href }) => {
  const source = href ?? first
  if (!source) return undefined
  const alt = (named.alt ?? named.caption ?? title ?? '').replaceAll(/[[\]]/g, '')
  const shown = `![${alt}](<${source}>)`
  const caption = named.caption ? `\\\n${named.caption}` : ''
  return { text: (named.link && named.src ? `[${shown}](<${named.link}>)` : shown) + caption }
}

const version =
  (what: string, tone: Tone): Writer =>
  ({ first = '', content }) => {
    const title = `${what} in version ${first}`
    return content === undefined
      ? { text: `**${title}**` }
      : { box: { kind: 'callout', tone, title } }
  }

const video =
  (site: string): Writer =>
  ({ named, first, title = 'Video' }) => ({
    text: `[${title}](<${site}${named.id ?? first ?? ''}>)`,
  })

const meanings = tableOf<Writer>([
  ['hint alert callout admonition notice', callout],
  [
    'pageinfo prompt',
    ({ named }) => ({ box: { kind: 'callout', tone: 'note', title: named.description ?? '' } }),
  ],
  ['code', ({ title }) => ({ box: title ? { kind: 'code', title } : { kind: 'group' } })],
  ['embed file', linkCard],
  ['content-ref', (use) => ({ ...linkCard(use), isDropped: true })],
  [
    'update',
    ({ named, first = 'Update' }) => ({
      box: { kind: 'details', title: named.date ?? first, isOpen: true },
    }),
  ],
  ['@mermaid/diagram mermaid', () => ({ code: 'mermaid' })],
  ['math katex', () => ({ code: 'math' })],
  ['highlight', ({ named, first }) => ({ code: named.lang ?? first ?? '' })],
  ['code-toggle', settings],
  ['tab', tab],
  [
    'blocks/feature',
    ({ title, first, href }) => ({
      box: { kind: 'card', title: title ?? first ?? '', ...(href && { href }) },
    }),
  ],
  ['figure img image', image],
  [
    'button',
    ({ named, content, title, first, href }) => ({
      text: `[${content ?? title ?? first ?? href ?? ''}](<${href ?? named.relref ?? ''}>)`,
    }),
  ],
  ['new-in', version('New', 'tip')],
  ['deprecated-in', version('Deprecated', 'warning')],
  [
    'badge kbd glossary-term',
    ({ named, content, first }) => ({
      text: named.content ?? named.text ?? content ?? first ?? '',
    }),
  ],
  ['youtube', video('https://www.youtube.com/watch?v=')],
  ['vimeo', video('https://vimeo.com/')],
  ['br', () => ({ text: '<br>' })],
  ['icon fa', () => ({ text: '' })],
  ['comment capture', () => ({ isDropped: true })],
  ['include include_cached readfile', () => ({ isDropped: true, note: 'include' })],
])

/** Tags that are text alone, wherever they are, such as in addresses. */
export function textOfTag(tag: Tag): string | undefined {
  const is = (syntax: Tag['syntax'], name: RegExp) =>
    !tag.isEnd && tag.syntax === syntax && name.test(tag.name)
  if (is('hugo', /^(?:rel)?ref$/)) return addressOf(tag.named.path ?? tag.positional[0] ?? '')
  // The path of a source, from the root of the site.
  return is('liquid', /^link$/) ? addressOf(`/${tag.rest.replace(/^\//, '')}`) : undefined
}

const addressOf = (path: string): string => path.replaceAll(' ', '%20').replaceAll(/[()<>]/g, '')

/** The last part of an address, as a title. */
export function nameOf(address: string): string {
  const path = address.replace(/[?#].*$/, '').replace(/\/(?:README\.md|index\.md)?$/i, '')
  const last = path.split('/').at(-1) ?? ''
  if (/^https?:/.test(address)) return address.replace(/^https?:\/\/(?:www\.)?/, '').slice(0, 80)
  const isPage = /\.md$/.test(last) || !last.includes('.')
  const words = capital(last.replace(/\.md$/, '').replaceAll(/[-_]+/g, ' '))
  return (isPage ? words : last).replaceAll(/[*[\]`<>]/g, '') || 'Link'
}

function languageOf(settings: string): string {
  if (/^\s*[{[]\s*"/.test(settings)) return 'json'
  return /^\s*(?:[\w.-]+[ \t]*=|\[)/m.test(settings) ? 'toml' : 'yaml'
}
