// The allow-list of elements and attributes of pages. An unguessable prefix marks the renderer's own attributes, so that
// raw HTML in Markdown cannot set the theme's classes or roles.
import sanitizeHtml from 'sanitize-html'
import { DeployFailure } from '../site-files/site-file.ts'

interface SanitiseOptions {
  /** Prefix of the attributes that the renderer itself wrote. */
  mark: string
  /** The source, for errors. */
  file?: string
  /** Returns the address of a link or an image. */
  resolve(address: string): string
}

/** Further elements of the renderer; `block` is a placeholder for HTML that is inserted afterwards. */
const own = ['class', 'id', 'role', 'tabindex', 'aria-label', 'aria-hidden', 'block']
const everywhere = ['id', 'title', 'lang', 'dir', 'aria-label']
const cells = ['align', 'valign', 'colspan', 'rowspan', 'headers', 'scope', 'abbr']
const media = ['src', 'width', 'height', 'loop', 'muted', 'poster', 'preload', 'playsinline']
const headings = ['h2', 'h3', 'h4', 'h5', 'h6']

const byTag: Record<string, string[]> = {
  a: ['href', 'hreflang'],
  audio: [...media, 'controls'],
  col: ['span'],
  colgroup: ['span'],
  data: ['value'],
  del: ['datetime'],
  details: ['open'],
  div: ['align'],
  img: ['src', 'srcset', 'sizes', 'alt', 'width', 'height', 'align', 'loading', 'decoding'],
  ins: ['datetime'],
  li: ['value'],
  ol: ['start', 'type', 'reversed'],
  p: ['align'],
  source: ['src', 'srcset', 'sizes', 'type', 'media', 'width', 'height'],
  td: cells,
  th: cells,
  time: ['datetime'],
  track: ['src', 'kind', 'srclang', 'label', 'default'],
  video: [...media, 'controls'],
  ...Object.fromEntries(headings.map((tag) => [tag, ['align']])),
}

const tags = [
  ...'a abbr audio b bdi bdo blockquote br caption cite code col colgroup data dd del'.split(' '),
  ...'details dfn div dl dt em figcaption figure hr i img ins kbd label li mark ol p picture'.split(
    ' ',
  ),
  ...'pre q rp rt ruby s samp section small source span strong sub summary sup table'.split(' '),
  ...'tbody td tfoot th thead time tr track u ul var video wbr'.split(' '),
  ...headings,
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

const addressed = new Set(['href', 'src', 'poster'])
/** The IDs of the theme contain a colon. */
const authorId = /^[\p{L}\p{N}_+][\p{L}\p{N}_+./-]{0,99}$/u

const fixed: sanitizeHtml.IOptions = {
  allowedTags: tags,
  allowedAttributes: Object.fromEntries(
    tags.map((tag) => [tag, [...everywhere, ...own, ...(byTag[tag] ?? [])]]),
  ),
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
  allowedSchemesByTag: Object.fromEntries(
    ['img', 'source', 'video', 'audio', 'track'].map((tag) => [tag, ['http', 'https']]),
  ),
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
      allowed[name] = addressed.has(name) ? resolve(value) : value
      if (name === 'srcset') allowed[name] = resolveCandidates(value, resolve)
    }
  }
  if (tagName === 'a' && allowed.id === undefined && authorId.test(attributes.name ?? '')) {
    allowed.id = attributes.name ?? ''
  }
  if (tagName === 'img') {
    Object.assign(allowed, { alt: allowed.alt ?? '', loading: 'lazy', decoding: 'async' })
    const theme = /#(?:gh-)?(dark|light)(?:-mode)?-only$|#only-(dark|light)$/.exec(
      allowed.src ?? '',
    )
    if (theme) allowed.class = `only-${theme[1] ?? theme[2]}`
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

const videos: [frame: RegExp, page: string][] = [
  [
    /^(?:https?:)?\/\/(?:www\.)?youtube(?:-nocookie)?\.com\/embed\/([\w-]+)/,
    'https://www.youtube.com/watch?v=',
  ],
  [/^(?:https?:)?\/\/player\.vimeo\.com\/video\/(\w+)/, 'https://vimeo.com/'],
  [/^(?:https?:)?\/\/(?:www\.)?loom\.com\/embed\/(\w+)/, 'https://www.loom.com/share/'],
]

/** A page in a page is a link to it. */
function linkOfFrame({ src = '', title = '' }: Record<string, string>) {
  const video = videos.find(([frame]) => frame.test(src))
  const href = video ? video[1] + (video[0].exec(src)?.[1] ?? '') : src.replace(/^\/\//, 'https://')
  const name = title.trim() || href
  const attribs: Record<string, string> = href === '' ? {} : { href }
  return { tagName: 'a', attribs, text: video ? `Video: ${name}` : name }
}

function isAllowedOfAuthor(tag: string, name: string, value: string): boolean {
  if (name === 'id') return authorId.test(value)
  if (everywhere.includes(name)) return true
  return Object.hasOwn(byTag, tag) && byTag[tag]?.includes(name) === true
}
