// The allow-list of elements and attributes of pages. An unguessable prefix marks the renderer's own attributes, so that
// raw HTML in Markdown cannot set the theme's classes or roles.
import sanitizeHtml from 'sanitize-html'
import { DeployFailure } from '../site-files/site-file.ts'
import { tableOf } from './boxes.ts'

interface SanitiseOptions {
  /** Prefix of the attributes that the renderer itself wrote. */
  mark: string
  /** The source, for errors. */
  file?: string
  /** Returns the address of a link or an image. */
  resolve(address: string): string
}

const everywhere = ['id', 'title', 'lang', 'dir', 'aria-label']
const byTag = tableOf([
  ['a', 'href hreflang'],
  ['audio video', 'src width height loop muted poster preload playsinline controls'],
  ['col colgroup', 'span'],
  ['data li', 'value'],
  ['del ins time', 'datetime'],
  ['details', 'open'],
  ['div p h2 h3 h4 h5 h6', 'align'],
  ['img', 'src srcset sizes alt width height align loading decoding'],
  ['ol', 'start type reversed'],
  ['source', 'src srcset sizes type media width height'],
  ['td th', 'align valign colspan rowspan headers scope abbr'],
  ['track', 'src kind srclang label default'],
])

const tags = [
  ...'a abbr audio b bdi bdo blockquote br caption cite code col colgroup data dd del'.split(' '),
  ...'details dfn div dl dt em figcaption figure h2 h3 h4 h5 h6 hr i img ins kbd label'.split(' '),
  ...'li mark ol p picture pre q rp rt ruby s samp section small source span strong'.split(' '),
  ...'sub summary sup table tbody td tfoot th thead time tr track u ul var video wbr'.split(' '),
]

/** Elements that are removed with their content, which is not text for readers. */
const dropped = [
  ...'script style textarea option select xmp noscript template title svg math'.split(' '),
  ...'noembed noframes object plaintext'.split(' '),
]

/** Whether an element of an author is published, removed with its content, or replaced by its content. */
export function fateOfElement(name: string): 'published' | 'removed' | 'unwrapped' {
  if (tags.includes(name) || name === 'h1' || name === 'iframe') return 'published'
  return dropped.includes(name) ? 'removed' : 'unwrapped'
}

/** The IDs of the theme contain a colon, behind a letter at their start. */
const authorId = /^(?:\+[\p{L}\p{N}_+.:/-]{0,99}|[\p{L}\p{N}_][\p{L}\p{N}_+./-]{0,99})$/u

const web = ['http', 'https']
const fixed: sanitizeHtml.IOptions = {
  allowedTags: tags,
  // Only those of the author that `transform` keeps, and the renderer's own.
  allowedAttributes: false,
  allowedSchemes: [...web, 'mailto', 'tel'],
  allowedSchemesByTag: { img: web, source: web, video: web, audio: web, track: web },
  allowProtocolRelative: false,
  selfClosing: ['img', 'br', 'hr', 'source', 'track', 'col', 'wbr'],
  nestingLimit: 200,
  nonTextTags: dropped,
}

/** Open elements at once. The parser searches them for each end tag. */
const maxOpen = 500

/** HTML without executable content, with all elements closed in order. Throws DeployFailure. */
export function sanitise(text: string, options: SanitiseOptions): string {
  let open = 0
  return sanitizeHtml(text, {
    ...fixed,
    onOpenTag() {
      if (++open <= maxOpen) return
      const message = `HTML is nested more than ${maxOpen} elements deep. Close its elements.`
      throw new DeployFailure(message, { file: options.file })
    },
    onCloseTag() {
      open -= 1
    },
    transformTags: {
      iframe: (_, attributes) => linkOfFrame(attributes),
      '*': (tag, attributes) => transform(tag, attributes, options),
    },
  })
}

/** An image for one of the themes: as on GitHub, and in MkDocs. */
const onlyTheme = /#(?:(?:gh-)?(?<theme>dark|light)(?:-mode)?-only|only-(?<theme>dark|light))$/

function transform(
  tag: string,
  attributes: Record<string, string>,
  { mark, resolve }: SanitiseOptions,
): { tagName: string; attribs: Record<string, string> } {
  // The page's only h1 is its title.
  const tagName = tag === 'h1' ? 'h2' : tag
  const allowed: Record<string, string> = {}
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith(mark)) allowed[name.slice(mark.length)] = value
    else if (isAllowedOfAuthor(tagName, name, value)) {
      if (name === 'srcset') allowed[name] = resolveCandidates(value, resolve)
      else allowed[name] = /^(?:href|src|poster)$/.test(name) ? resolve(value) : value
    }
  }
  if (tagName === 'a' && allowed.id === undefined && authorId.test(attributes.name ?? '')) {
    allowed.id = attributes.name ?? ''
  }
  if (tagName === 'img') {
    const { alt = '', src = '' } = allowed
    Object.assign(allowed, { alt, loading: 'lazy', decoding: 'async' })
    const { theme } = onlyTheme.exec(src)?.groups ?? {}
    if (theme !== undefined) allowed.class = `only-${theme}`
  }
  if (tagName === 'video' || tagName === 'audio') allowed.controls = ''
  return { tagName, attribs: allowed }
}

/** The candidates of `srcset`: `a.png 2x, b.png 640w`. Empty if it is very long. */
function resolveCandidates(srcset: string, resolve: (address: string) => string): string {
  const candidates = srcset.length > 10_000 ? [] : srcset.split(/,\s+|,$/)
  const resolved = candidates.flatMap((candidate) => {
    const [address = '', size = ''] = candidate.trim().split(/\s+/)
    if (address === '') return []
    return `${resolve(address).replaceAll(',', '%2C')} ${/^[\d.]{1,10}[wx]$/.test(size) ? size : ''}`.trim()
  })
  return resolved.join(', ')
}

const youtube = /^(?:https?:)?\/\/(?:www\.)?youtube(?:-nocookie)?\.com\/embed\/([\w-]+).*$/s

/** A page in a page is a link to it. */
function linkOfFrame({ src = '', title = '' }: Record<string, string>) {
  const page = src.replace(youtube, 'https://www.youtube.com/watch?v=$1')
  const href = page.replace(/^\/\//, 'https://')
  const isVideo = /\b(?:youtube|vimeo|loom)\.com\//.test(href)
  const attribs: Record<string, string> = href === '' ? {} : { href }
  return { tagName: 'a', attribs, text: (isVideo ? 'Video: ' : '') + (title.trim() || href) }
}

function isAllowedOfAuthor(tag: string, name: string, value: string): boolean {
  if (name === 'id') return authorId.test(value)
  return everywhere.includes(name) || byTag.get(tag)?.split(' ').includes(name) === true
}
