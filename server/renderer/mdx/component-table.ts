// What the components of documentation generators become: boxes, links, images, definition lists, code. One table for all of
// them; a name is looked up in lower case, without hyphens, and by its last part: `Tabs.Tab`, `tab` and `Tab` are the same.
import { type Box, calloutNamed } from '../markdown/boxes.ts'
import { escapeHtml } from '../markdown/html.ts'
import type { Literal } from './jsx.ts'

export interface Element {
  /** As it was written; empty for a fragment. */
  name: string
  key: string
  attributes: ReadonlyMap<string, Literal>
  hasChildren: boolean
  /** The key of the first component in it. */
  firstChild?: string | undefined
  parent?: Element | undefined
  /** Its position among the components of its parent. */
  index: number
}

/** HTML is sanitised; `markdown` is a paragraph. */
export type Piece =
  | { html: string }
  | { markdown: string }
  | { inline: string }
  | { code: string; info: string }
  | { heading: string; level: number }

/** What is written around the children. */
export interface Written {
  box?: Box
  open?: Piece[]
  close?: Piece[]
  /** The children are not shown. */
  isHidden?: boolean
  /** The children are code in this language. */
  language?: string
  /** It has no rendering of its own. */
  isUnknown?: boolean
}

export const keyOf = (name: string): string =>
  name
    .slice(name.lastIndexOf('.') + 1)
    .toLowerCase()
    .replaceAll(/[-_]/g, '')

/** The first of these attributes that has a text, as it was written. */
export function textOf(
  { attributes }: Pick<Element, 'attributes'>,
  ...names: string[]
): string | undefined {
  for (const name of names) {
    const value = attributes.get(name)
    if (typeof value === 'number') return String(value)
    if (typeof value === 'string' && value.trim() !== '') return value.trim()
  }
  return undefined
}

/** A text as inline Markdown, in which `<` and `{` begin nothing. */
const inlineOf = (text: string): string =>
  text.replaceAll('<', '&lt;').replaceAll('{', '&#123;').replaceAll(/\s+/g, ' ')

const titleOf = (element: Element, ...names: string[]): string | undefined => {
  const title = textOf(element, ...names)
  return title === undefined ? undefined : inlineOf(title)
}

const codeSpan = (text: string): string => `\`${text.replaceAll(/`|\s+/g, ' ')}\``

const address = (text: string): string => text.replaceAll('&amp;', '&')

/** For HTML: a value may have character references already. */
export const attribute = (name: string, value: string | undefined): string =>
  value === undefined ? '' : ` ${name}="${value.replaceAll(/["<>]/g, escapeHtml)}"`

const hrefOf = (element: Element) => textOf(element, 'href', 'to', 'link', 'url')
const isTrue = ({ attributes }: Element, name: string) =>
  attributes.has(name) && ![false, 'false', null].includes(attributes.get(name) as string)

const descriptionOf = (element: Element): Piece[] => {
  const text = element.hasChildren ? undefined : titleOf(element, 'description', 'text', 'content')
  return text === undefined ? [] : [{ markdown: text }]
}

type Reader = (element: Element) => Written

const children: Reader = () => ({})
const hidden: Reader = () => ({ isHidden: true })
const html =
  (tag: string): Reader =>
  () => ({ open: [{ html: `<${tag}>` }], close: [{ html: `</${tag}>` }] })
const boxed =
  (box: Box): Reader =>
  () => ({ box: { ...box } })

function tab(element: Element): Written {
  const { parent, index } = element
  const value = textOf(element, 'value', 'id')
  const named = listOf(parent?.attributes.get('values')).find(
    (item) => fieldOf(item, 'value') === value && value !== undefined,
  )
  const item = listOf(parent?.attributes.get('items') ?? parent?.attributes.get('labels'))[index]
  const listed = fieldOf(item, 'label') ?? (typeof item === 'string' ? item : undefined)
  const title =
    textOf(element, 'label', 'title', 'name') ??
    fieldOf(named, 'label') ??
    listed ??
    textOf(element, 'header', 'value')
  const chosen = parent && textOf(parent, 'defaultValue', 'default')
  const isSelected = isTrue(element, 'default') || (value !== undefined && value === chosen)
  return { box: { kind: 'tab', title: inlineOf(title ?? ''), isSelected } }
}

const listOf = (value: Literal | undefined): Literal[] => (Array.isArray(value) ? value : [])

function fieldOf(value: Literal | undefined, name: string): string | undefined {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined
  const field = value[name]
  return typeof field === 'string' || typeof field === 'number' ? String(field) : undefined
}

function card(element: Element): Written {
  const title = titleOf(element, 'title', 'label', 'name', 'heading')
  const href = hrefOf(element)
  return {
    box: { kind: 'card', ...(title && { title }), ...(href && { href: address(href) }) },
    open: descriptionOf(element),
  }
}

function details(element: Element): Written {
  const title = titleOf(element, 'title', 'label', 'summary', 'header', 'name') ?? ''
  const isOpen = isTrue(element, 'defaultOpen') || isTrue(element, 'open')
  return { box: { kind: 'details', title, isOpen }, open: descriptionOf(element) }
}

function callout(element: Element): Written {
  const kind = textOf(element, 'type', 'variant', 'kind', 'status', 'intent', 'color') ?? ''
  const box = calloutNamed(element.key) ?? calloutNamed(kind) ?? calloutNamed('note')
  const title = titleOf(element, 'title', 'label', 'heading')
  return box ? { box: { ...box, ...(title && { title }) }, open: descriptionOf(element) } : {}
}

/** A field of an API: its name and what it may be, and the description. */
function field(element: Element): Written {
  const name = textOf(element, 'name', 'path', 'query', 'body', 'header', 'cookie', 'id') ?? ''
  const place = ['path', 'query', 'body', 'header', 'cookie'].find((key) => textOf(element, key))
  const type = textOf(element, 'type')
  const value = textOf(element, 'default', 'defaultValue', 'initialValue')
  const facts = [
    type && codeSpan(type),
    place,
    isTrue(element, 'required') && 'required',
    isTrue(element, 'deprecated') && 'deprecated',
    value && `default: ${codeSpan(value)}`,
  ].filter(Boolean)
  const line = [name && `**${codeSpan(name)}**`, facts.join(', ')].filter(Boolean).join(' ')
  return {
    open: [
      { html: '<dl><dt>' },
      { inline: line },
      { html: '</dt><dd>' },
      ...descriptionOf(element),
    ],
    close: [{ html: '</dd></dl>' }],
  }
}

/** An entry of a tree of files. */
function file(element: Element): Written {
  const name = escapeHtml(textOf(element, 'name', 'title', 'label') ?? '')
  if (!element.hasChildren && element.key !== 'folder')
    return { open: [{ html: `<li>${name}</li>` }] }
  return { open: [{ html: `<li>${name}<ul>` }], close: [{ html: '</ul></li>' }] }
}

function figure(element: Element): Written {
  const caption = titleOf(element, 'caption', 'title')
  const end: Piece[] =
    caption === undefined
      ? []
      : [{ html: '<figcaption>' }, { inline: caption }, { html: '</figcaption>' }]
  return { open: [{ html: '<figure>' }], close: [...end, { html: '</figure>' }] }
}

function code(element: Element): Written {
  const text = textOf(element, 'code', 'chart', 'value', 'content')
  const language =
    element.key === 'mermaid' ? 'mermaid' : (textOf(element, 'language', 'lang') ?? '')
  const title = textOf(element, 'title', 'filename', 'fileName')?.replaceAll('"', "'")
  const info = language.replaceAll(/\s/g, '') + (title === undefined ? '' : ` title="${title}"`)
  if (text !== undefined) return { open: [{ code: `${text}\n`, info }], isHidden: true }
  return { language: info, ...(title !== undefined && { box: { kind: 'code', title } }) }
}

function update(element: Element): Written {
  const heading = titleOf(element, 'label', 'title', 'date', 'version') ?? 'Update'
  return { open: [{ heading, level: 2 }, ...descriptionOf({ ...element, hasChildren: false })] }
}

function packageManagers(element: Element): Written {
  const name = textOf(element, 'pkg', 'package', 'command', 'name') ?? ''
  const type = textOf(element, 'type') ?? 'add'
  const dev = isTrue(element, 'dev') ? ' -D' : ''
  const more = textOf(element, 'args')
  const commands: Record<string, Record<string, string>> = {
    npm: {
      add: `install${dev}`,
      dlx: 'npx',
      exec: 'npx',
      run: 'run',
      create: 'create',
      install: 'install',
      remove: 'uninstall',
    },
    yarn: {
      add: `add${dev}`,
      dlx: 'dlx',
      exec: '',
      run: 'run',
      create: 'create',
      install: 'install',
      remove: 'remove',
    },
    pnpm: {
      add: `add${dev}`,
      dlx: 'dlx',
      exec: 'exec',
      run: 'run',
      create: 'create',
      install: 'install',
      remove: 'remove',
    },
  }
  const open = Object.entries(commands).map(([manager, verbs]) => {
    const verb = verbs[type] ?? type
    const words = verb === 'npx' ? ['npx', name, more] : [manager, verb, name, more]
    return { code: `${words.filter(Boolean).join(' ')}\n`, info: `sh title="${manager}"` }
  })
  return { box: { kind: 'code-group' }, open }
}

function video(element: Element): Written {
  const src = textOf(element, 'src', 'url', 'href')
  const id = textOf(element, 'id', 'videoId', 'youtubeId')
  const to = src ?? (id && `https://www.youtube.com/watch?v=${encodeURIComponent(id)}`)
  const title = inlineOf(textOf(element, 'title', 'name', 'caption') ?? to ?? '')
  return to === undefined
    ? {}
    : { open: [{ markdown: `<a${attribute('href', to)}>Video: ${title}</a>` }] }
}

function columns(element: Element): Written {
  return { box: { kind: /^col(umn)?$/.test(element.firstChild ?? '') ? 'columns' : 'cards' } }
}

function colour(element: Element): Written {
  const words = [titleOf(element, 'name', 'title'), textOf(element, 'value')]
  const text = words.filter((word) => word !== undefined).join(': ')
  return { open: [text === '' ? { html: '' } : { markdown: text }] }
}

const rows: [names: string, reader: Reader][] = [
  ['tabs tabgroup tabpanels tabbed', boxed({ kind: 'tabs' })],
  ['tab tabitem tabpanel', tab],
  ['codegroup codetabs codeblocks requestexample responseexample', boxed({ kind: 'code-group' })],
  ['steps stepper', boxed({ kind: 'steps' })],
  [
    'step',
    (element) => ({
      box: { kind: 'step', title: titleOf(element, 'title', 'label', 'name', 'stepNumber') ?? '' },
      open: descriptionOf(element),
    }),
  ],
  ['card linkcard tile doccard featurecard', card],
  ['cards cardgroup cardgrid cardlist grid tiles linkcards', boxed({ kind: 'cards' })],
  ['columns row cols', columns],
  ['column col', boxed({ kind: 'column' })],
  [
    'accordion accordionitem expandable collapse collapsible details spoiler toggle faqitem',
    details,
  ],
  [
    'note tip info warning caution danger check important error success callout admonition aside alert banner hint',
    callout,
  ],
  ['frame figure', figure],
  ['codeblock code mermaid diagram', code],
  ['paramfield responsefield field propertyfield apifield typefield', field],
  ['update', update],
  ['packagemanagers packagemanager packageinstall npm2yarn', packageManagers],
  ['tree files', html('ul')],
  ['folder file', file],
  ['video youtube vimeo loom youtubeembed', video],
  ['color item', colour],
  ['head style script helmet tableofcontents doccardlist', hidden],
  [
    'accordiongroup accordions expandablegroup browseronly clientonly noscript show visibility view panel preview fragment filetree bleed suspense center wrapper container div section snippet tooltips faq',
    children,
  ],
]

const blocks = new Map(
  rows.flatMap(([names, reader]) => names.split(' ').map((name) => [name, reader] as const)),
)

/** What is written around the children of a component in a paragraph. */
export interface WrittenInline {
  open: string
  close: string
}

const imageOf: (element: Element) => WrittenInline = (element) => {
  const sources = element.attributes.get('sources')
  const list = [
    textOf(element, 'src', 'img', 'light', 'lightSrc'),
    fieldOf(sources, 'light'),
    fieldOf(sources, 'dark'),
  ]
  const src = list.find((text) => text !== undefined)
  const size = ['width', 'height'].map((name) => attribute(name, textOf(element, name)))
  const open =
    src === undefined
      ? ''
      : `<img${attribute('src', src)}${attribute('alt', textOf(element, 'alt', 'title', 'caption') ?? '')}${size.join('')}>`
  return { open, close: '' }
}

const inlineRows: [names: string, reader: (element: Element) => WrittenInline][] = [
  [
    'icon faicon br badge pill chip tag label kbd version',
    (element) => {
      const text =
        element.key === 'icon' || element.hasChildren
          ? undefined
          : textOf(element, 'text', 'label', 'title', 'name', 'version')
      return { open: text === undefined ? '' : escapeHtml(text), close: '' }
    },
  ],
  [
    'link navlink doclink a linkbutton button anchor nextlink routerlink navlinkbutton',
    (element) => {
      const href = hrefOf(element)
      const label = element.hasChildren
        ? ''
        : escapeHtml(textOf(element, 'text', 'label', 'title', 'name') ?? href ?? '')
      if (href === undefined) return { open: label, close: '' }
      return { open: `<a${attribute('href', address(href))}>${label}`, close: '</a>' }
    },
  ],
  ['image img themedimage nextimage optimizedimage picture zoomimage lightbox screenshot', imageOf],
  [
    'tooltip hovercard',
    (element) => {
      const tip = textOf(element, 'tip', 'content', 'text', 'headline', 'title')
      return { open: `<abbr${attribute('title', tip)}>`, close: '</abbr>' }
    },
  ],
]

const inlines = new Map(
  inlineRows.flatMap(([names, reader]) => names.split(' ').map((name) => [name, reader] as const)),
)

/** Names that are components in lower case, too. */
const lowerCase = new Set(
  'codegroup codeblock codetabs tabs tab steps step cards card cardgrid cardgroup callout note tip warning info danger caution accordion badge icon linkcard clientonly'.split(
    ' ',
  ),
)

/** Whether a tag is a component and not of HTML. Old pages write HTML in capitals. */
export function isComponent(name: string): boolean {
  if (/^[A-Z]/.test(name)) return !htmlInCapitals.test(name)
  return lowerCase.has(keyOf(name)) || /^[a-z]\w*\.[A-Za-z]/.test(name)
}

const htmlInCapitals =
  /^(?:A|B|I|P|Q|S|U|H[1-6]|BR|HR|EM|TD|TH|TR|UL|OL|LI|DL|DT|DD|TT|DIV|IMG|PRE|SUB|SUP|VAR|KBD|CODE|FONT|SPAN|SMALL|TABLE|TBODY|THEAD|CENTER|STRONG|SCRIPT|STYLE|IFRAME|INPUT|FORM|META|LINK|BASE|BODY|HTML|HEAD|BLOCKQUOTE|OBJECT|EMBED|SVG)$/

/** Whether it is shown as a block of its own, also in the middle of a paragraph. */
export const isBlockComponent = (name: string): boolean =>
  isComponent(name) && blocks.has(keyOf(name))

export const isInlineComponent = (name: string): boolean =>
  isComponent(name) && inlines.has(keyOf(name))

export function writeBlock(element: Element): Written {
  const known = blocks.get(element.key)
  if (known) return known(element)
  const inline = inlines.get(element.key)?.(element)
  if (inline) return { open: [{ html: inline.open }], close: [{ html: inline.close }] }
  if (element.name === '') return {}
  // A component with a title and a link is a card, whatever its name is.
  const title = titleOf(element, 'title', 'label', 'name', 'heading')
  if (title !== undefined && hrefOf(element) !== undefined) return card(element)
  const lead = element.hasChildren || title === undefined ? [] : [{ markdown: `**${title}**` }]
  return { isUnknown: true, open: [...lead, ...descriptionOf(element)] }
}

/** Undefined for one that only keeps its children. */
export function writeInline(element: Element): WrittenInline | undefined {
  return inlines.get(element.key)?.(element)
}
