// What the tags of GitBook and Jekyll, and the shortcodes of Hugo's themes, stand for.
import { type Box, calloutNamed } from '../markdown/boxes.ts'
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

const youtube = 'https://www.youtube.com/watch?v='

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

/** `content`: what is between the tag and its end. `around`: the tags that it is in, the innermost last. */
export function meaningOf(
  tag: Tag,
  content: string | undefined,
  around: Tag[],
): Meaning | undefined {
  const { named, positional, name } = tag
  const [first, second] = positional
  const title = named.title ?? named.header ?? named.summary ?? named.label ?? named.name
  const href = named.href ?? named.link ?? named.url ?? named.src
  switch (name) {
    case 'hint':
    case 'alert':
    case 'callout':
    case 'admonition':
    case 'notice': {
      const kind = named.style ?? named.type ?? named.color ?? named.context ?? first ?? 'note'
      const callout = calloutNamed(kind) ?? (calloutNamed('note') as Box & { kind: 'callout' })
      return { box: { ...callout, title: title ?? second ?? callout.title } }
    }
    case 'pageinfo':
    case 'prompt':
      return { box: { kind: 'callout', tone: 'note', title: named.description ?? '' } }
    case 'code':
      return { box: title ? { kind: 'code', title } : { kind: 'group' } }
    case 'content-ref':
    case 'embed':
    case 'file': {
      const [, text = ''] = /\[([^\]\n]{1,200})\]\(/.exec(content ?? '') ?? []
      const isPath = text === '' || /^[^\s]*\.\w+$/.test(text) || text === href
      const card: Box = { kind: 'card', title: isPath ? nameOf(href ?? first ?? '') : text }
      if (href) card.href = href
      return { box: card, ...(name === 'content-ref' && { isDropped: true }) }
    }
    case 'update':
      return { box: { kind: 'details', title: named.date ?? first ?? 'Update', isOpen: true } }
    case '@mermaid/diagram':
      return { code: 'mermaid' }
    case 'mermaid':
    case 'math':
    case 'katex':
      return { code: name === 'katex' ? 'math' : name }
    case 'highlight':
    case 'code-toggle': {
      const language = named.lang ?? first ?? ''
      const [file] = [named.file ?? named.filename]
      if (name === 'highlight') return { code: language }
      if (content === undefined) return undefined
      const guessed = languageOf(content)
      return { code: guessed + (file ? ` title="${file.replaceAll('"', '')}.${guessed}"` : '') }
    }
    case 'tab': {
      if (/\bdisabled=/.test(tag.rest)) return { isDropped: true }
      const set = around.findLast((each) => each.name.startsWith('tab'))
      const items = set?.named.items?.split(',') ?? []
      const label = title ?? first ?? items.shift()?.trim() ?? ''
      if (set?.named.items !== undefined) set.named.items = items.join(',')
      const box: Box = { kind: 'tab', title: label }
      // Docsy: between `<` and `>`, code, unless the group or the tab says otherwise.
      const isCode = set?.name === 'tabpane' && !/text/.test(set.rest) && !/text/.test(tag.rest)
      const language = named.lang ?? set?.named.lang ?? ''
      return { box, ...(isCode && content?.includes('\n') && { code: language }) }
    }
    case 'card':
    case 'link-card':
    case 'blocks/feature':
      return { box: { kind: 'card', title: title ?? first ?? '', ...(href && { href }) } }
    case 'figure':
    case 'img':
    case 'image': {
      const source = href ?? first
      if (!source) return undefined
      const alt = (named.alt ?? named.caption ?? title ?? '').replaceAll(/[[\]]/g, '')
      const image = `![${alt}](<${source}>)`
      const caption = named.caption ? `\\\n${named.caption}` : ''
      return { text: (named.link && named.src ? `[${image}](<${named.link}>)` : image) + caption }
    }
    case 'button':
      return {
        text: `[${content ?? title ?? first ?? href ?? ''}](<${href ?? named.relref ?? ''}>)`,
      }
    case 'new-in':
    case 'deprecated-in': {
      const words = `${name === 'new-in' ? 'New' : 'Deprecated'} in version ${first ?? ''}`
      if (content === undefined) return { text: `**${words}**` }
      return { box: { kind: 'callout', tone: name === 'new-in' ? 'tip' : 'warning', title: words } }
    }
    case 'badge':
    case 'kbd':
    case 'glossary-term':
      return { text: named.content ?? named.text ?? content ?? first ?? '' }
    case 'youtube':
      return { text: `[${title ?? 'Video'}](<${youtube}${named.id ?? first ?? ''}>)` }
    case 'vimeo':
      return { text: `[${title ?? 'Video'}](<https://vimeo.com/${named.id ?? first ?? ''}>)` }
    case 'br':
      return { text: '<br>' }
    case 'icon':
    case 'fa':
      return { text: '' }
    case 'comment':
    case 'capture':
      return { isDropped: true }
    case 'include':
    case 'include_cached':
    case 'readfile':
      return { isDropped: true, note: 'include' }
    default: {
      if (/^blocks\//.test(name)) return { box: { kind: 'group' } }
      const isOpen = named.open !== undefined || named.closed === 'false'
      const box = boxNamed(name, { title: title ?? first, href, isOpen })
      return box && { box }
    }
  }
}

/** Tags that are text alone, wherever they are, such as in addresses. */
export function textOfTag({
  name,
  isEnd,
  syntax,
  named,
  positional,
  rest,
}: Tag): string | undefined {
  if (isEnd) return undefined
  if (syntax === 'hugo' && (name === 'ref' || name === 'relref')) {
    return addressOf(named.path ?? positional[0] ?? '')
  }
  // The path of a source, from the root of the site.
  return syntax === 'liquid' && name === 'link'
    ? addressOf(`/${rest.replace(/^\//, '')}`)
    : undefined
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
