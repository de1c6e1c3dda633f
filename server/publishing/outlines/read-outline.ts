// Reads the outline of a page from its HTML and style sheets: names of links, the first blocks of its content, and
// its colours. The page is untrusted: the result is bounded plain text.
import { type HtmlToken, htmlTokens } from './html-tokens.ts'
import { readColours } from './read-colours.ts'
import { blockKinds, type DeployOutline, maxItems, maxTextLength } from './schema.ts'

type Block = DeployOutline['blocks'][number]
type List = 'header' | 'navigation' | 'contents'

/** Of an `index.html`; the rest is not read. */
export const maxHtmlLength = 256 * 1024

export const emptyOutline: DeployOutline = {
  kind: null,
  title: '',
  header: [],
  navigation: [],
  contents: [],
  blocks: [],
  colours: { background: null, text: null, accent: null },
}

const blockTags = new Map<string, Block['kind']>([
  ...blockKinds.filter((kind) => /^h\d$/.test(kind)).map((kind) => [kind, kind] as const),
  ...['p', 'blockquote', 'dd', 'td', 'figcaption'].map((tag) => [tag, 'text'] as const),
  ...['li', 'dt'].map((tag) => [tag, 'item'] as const),
  ['pre', 'code'],
])
/** Parts of a page that are not its content. */
const regions = new Set(['header', 'nav', 'aside', 'footer'])
/** What a reader does not see, or not as text. */
const unseen = new Set(['svg', 'dialog', 'select'])
const withoutEnd = new Set(['img', 'br', 'hr', 'input', 'source', 'wbr', 'link', 'meta'])

/** `styles`: the text of its linked style sheets. */
export function readOutline(html: string, styles: readonly string[] = []): DeployOutline {
  const reader = createReader()
  for (const token of htmlTokens(html.slice(0, maxHtmlLength))) {
    reader.read(token)
    if (reader.isFull()) break
  }
  const { inlineStyles, metaColour, outline, siteName } = reader.end()
  const colours = readColours([...inlineStyles, ...styles])
  return {
    ...outline,
    title: siteName || outline.title,
    colours: { ...colours, accent: colours.accent ?? metaColour },
  }
}

/** Addresses of the style sheets that a page links, at most `max`. */
export function findStyleSheets(html: string, max: number): string[] {
  const found: string[] = []
  for (const token of htmlTokens(html.slice(0, maxHtmlLength))) {
    if (token.type === 'open' && token.name === 'body') break
    if (token.type !== 'open' || token.name !== 'link' || found.length === max) continue
    const href = token.attributes.get('href')
    if (token.attributes.get('rel') === 'stylesheet' && href) found.push(href)
  }
  return found
}

function createReader() {
  const outline: DeployOutline = {
    ...emptyOutline,
    ...{ header: [], navigation: [], contents: [], blocks: [] },
  }
  const inlineStyles: string[] = []
  const open: string[] = []
  let siteName = ''
  let metaColour: string | null = null
  let hidden: { name: string; depth: number } | undefined
  let collected: { of: string; list?: List; kind?: Block['kind']; text: string } | undefined

  function finish(): void {
    if (!collected) return
    const { kind, list } = collected
    const text = shortened(collected.text, kind === 'code')
    collected = undefined
    if (text === '') return
    if (list) {
      // On a phone, the links of the header are in the navigation.
      const isThere = outline[list].includes(text) || outline.header.includes(text)
      if (outline[list].length < maxItems[list] && !isThere) outline[list].push(text)
    } else if (kind && outline.blocks.length < maxItems.blocks) outline.blocks.push({ kind, text })
  }

  /** The list that a link belongs to; undefined in the content. */
  function listHere(label: string): List | 'none' | undefined {
    const region = open.findLast((name) => regions.has(name))
    if (region === undefined) return undefined
    if (open.includes('footer') || /breadcrumb|pagination/i.test(label)) return 'none'
    if (open.includes('header')) return 'header'
    return /toc|contents|outline|on this page/i.test(label) ? 'contents' : 'navigation'
  }
  const labels: string[] = []

  function begin(name: string, attributes: ReadonlyMap<string, string>): void {
    if (name === 'meta') readMeta(attributes)
    if (hidden !== undefined) {
      if (hidden.name === name) hidden.depth++
      return
    }
    if (isUnseen(name, attributes)) {
      if (!withoutEnd.has(name)) hidden = { name, depth: 1 }
      return
    }
    if (regions.has(name) && !(name === 'header' && open.includes('main'))) {
      finish()
      open.push(name)
      labels.push(`${attributes.get('class') ?? ''} ${attributes.get('aria-label') ?? ''}`)
      return
    }
    if (name === 'main' || name === 'article') open.push(name)
    const list = listHere(labels.at(-1) ?? '')
    if (list === 'none' || outline.blocks.length === maxItems.blocks) return
    if (list !== undefined) {
      if (name !== 'a') return
      finish()
      collected = { of: 'a', list, text: '' }
    } else if (name === 'img') {
      finish()
      const alt = shortened(attributes.get('alt') ?? '', false)
      if (attributes.get('width') !== '1') outline.blocks.push({ kind: 'image', text: alt })
    } else {
      const kind = blockTags.get(name)
      // A paragraph of a list item belongs to the item.
      if (kind === undefined || (kind === 'text' && collected?.of === 'li')) return
      finish()
      collected = { of: name, kind, text: '' }
    }
  }

  function readMeta(attributes: ReadonlyMap<string, string>): void {
    const content = attributes.get('content') ?? ''
    if (attributes.get('property') === 'og:site_name') siteName = shortened(content, false)
    if (attributes.get('name') === 'theme-color' && /^#[\da-f]{6}$/i.test(content)) {
      metaColour = content.toLowerCase()
    }
  }

  return {
    read(token: HtmlToken): void {
      if (token.type === 'open') {
        begin(token.name, token.attributes)
        return
      }
      if (token.type === 'close') {
        if (hidden?.name === token.name && --hidden.depth === 0) hidden = undefined
        if (collected?.of === token.name) finish()
        if (open.at(-1) === token.name) {
          finish()
          open.pop()
          if (regions.has(token.name)) labels.pop()
        }
        return
      }
      const { of, text } = token
      if (of === 'title' && open.length === 0) outline.title ||= shortened(text, false)
      else if (of === 'style') inlineStyles.push(text)
      else if (of === undefined && hidden === undefined && collected) {
        // No more than is kept, however long the text is.
        if (collected.text.length <= 2 * maxTextLength) collected.text += text.slice(0, 2000)
      }
    },
    isFull: () => outline.blocks.length === maxItems.blocks && outline.contents.length > 0,
    end() {
      finish()
      return { outline, inlineStyles, siteName, metaColour }
    },
  }
}

function isUnseen(name: string, attributes: ReadonlyMap<string, string>): boolean {
  return (
    unseen.has(name) ||
    attributes.has('hidden') ||
    attributes.get('aria-hidden') === 'true' ||
    (name === 'details' && !attributes.has('open'))
  )
}

/** One line, or with its lines for code. */
function shortened(text: string, keepsLines: boolean): string {
  const spaced = keepsLines
    ? text.replace(/^\s*\n/, '').trimEnd()
    : text.replaceAll(/\s+/g, ' ').trim()
  const plain = spaced.replaceAll(/[^\P{Cc}\n]/gu, '').toWellFormed()
  return plain.length > maxTextLength ? `${plain.slice(0, maxTextLength - 1)}…` : plain
}
