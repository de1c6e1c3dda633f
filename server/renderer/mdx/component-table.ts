// What the components of documentation generators become: boxes, links, images, lists of fields, code. A name is looked up in
// lower case, without hyphens and by its last part: `Tabs.Tab`, `tab` and `Tab` are the same.
import { type Box, calloutOf, tableOf } from '../markdown/boxes.ts'
import { escapeHtml } from '../markdown/html.ts'
import { boxKinds, boxNamed, keyOf } from '../notations/box-names.ts'
import { githubSlug } from '../sources/generator.ts'
import type { Literal } from './jsx.ts'

export interface Element {
  /** As it was written; empty for a fragment. */
  name: string
  key: string
  attributes: ReadonlyMap<string, Literal>
  hasChildren: boolean
  /** The key of the first component in it; empty if it has none. */
  firstChild: string
  parent?: Element | undefined
  /** Its position among the elements of its parent. */
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
  box?: Box | undefined
  open?: Piece[]
  close?: Piece[]
  /** The children are not shown. */
  isHidden?: boolean
  /** The children are code in this language. */
  language?: string
  /** It has no rendering of its own. */
  isUnknown?: boolean
}

/** The first of these attributes that has a text. */
function textOf({ attributes }: Element, names: string): string | undefined {
  const values = names.split(' ').map((name) => attributes.get(name))
  const value = values.find(
    (each) => typeof each === 'number' || (typeof each === 'string' && each.trim()),
  )
  return value === undefined ? undefined : String(value).trim()
}

/** The same as inline Markdown, in which `<` and `{` begin nothing. */
function inlineOf(element: Element, names: string): string | undefined {
  const text = textOf(element, names)
  return text?.replaceAll('<', '&lt;').replaceAll('{', '&#123;').replaceAll(/\s+/g, ' ')
}

const codeSpan = (text: string): string => `\`${text.replaceAll(/`|\s+/g, ' ')}\``

/** For HTML. A text may have character references already. */
export const attribute = (name: string, value: string | undefined): string =>
  value === undefined ? '' : ` ${name}="${value.replaceAll(/["<>]/g, escapeHtml)}"`

const titles = 'title label summary header heading name'
const hrefOf = (element: Element) => textOf(element, 'href to link url')?.replaceAll('&amp;', '&')
const isSet = ({ attributes }: Element, names: string) =>
  names
    .split(' ')
    .some((name) => ![undefined, false, null, 'false'].includes(attributes.get(name) as string))

function descriptionOf(element: Element): Piece[] {
  const markdown = element.hasChildren ? undefined : inlineOf(element, 'description text content')
  return markdown === undefined ? [] : [{ markdown }]
}

type Writer = (element: Element) => Written

const boxed =
  (name: string): Writer =>
  (element) => {
    const isOpen = isSet(element, 'defaultOpen open')
    const title = inlineOf(element, titles)
    const box = boxNamed(name, { title, href: hrefOf(element), isOpen })
    const id = textOf(element, 'id') ?? textOf(element, titles) ?? ''
    const anchors = box?.kind === 'details' ? anchor(id) : []
    return { box, open: [...anchors, ...descriptionOf(element)] }
  }

/** In Mintlify, links lead to accordions and to the fields of APIs. */
const anchor = (text: string, prefix = ''): Piece[] =>
  text === '' ? [] : [{ html: `<span${attribute('id', prefix + githubSlug(text))}></span>` }]

function tab(element: Element): Written {
  const { parent, index } = element
  const value = textOf(element, 'value id')
  const listed = (name: string) => listOf(parent?.attributes.get(name))
  const item = listed('values').find(
    (each) => value !== undefined && fieldOf(each, 'value') === value,
  )
  const label = fieldOf(item, 'label') ?? listed('items')[index]
  const given = { ...element, attributes: new Map([['label', label ?? ''], ...element.attributes]) }
  const title = inlineOf(given, 'label title name header value') ?? ''
  const chosen = parent && textOf(parent, 'defaultValue default')
  const isSelected = isSet(element, 'default') || (value !== undefined && value === chosen)
  return { box: { kind: 'tab', title, isSelected } }
}

const listOf = (value: Literal | undefined): Literal[] => (Array.isArray(value) ? value : [])

function fieldOf(value: Literal | undefined, name: string): string | undefined {
  const isObject = value !== null && typeof value === 'object' && !Array.isArray(value)
  const field = isObject ? value[name] : undefined
  return typeof field === 'string' ? field : undefined
}

const callout: Writer = (element) => {
  const kind = textOf(element, 'type variant kind status intent color') ?? ''
  const box = calloutOf([element.key, kind], inlineOf(element, titles))
  return { box, open: descriptionOf(element) }
}

/** A field of an API: its name and what it may be, and its description. */
const field: Writer = (element) => {
  const places = 'path query body header cookie'
  const [name, type, value] = [`name ${places} id`, 'type', 'default defaultValue'].map((names) =>
    textOf(element, names),
  )
  const facts = [
    type && codeSpan(type),
    places.split(' ').find((place) => textOf(element, place)),
    ...['required', 'deprecated'].filter((fact) => isSet(element, fact)),
    value && `default: ${codeSpan(value)}`,
  ]
  const line = `${name ? codeSpan(name) : ''} <small>${facts.filter(Boolean).join(', ')}</small>`
  const open = [
    ...anchor(name ?? '', 'param-'),
    { html: '<dl><dt>' },
    { inline: line },
    { html: '</dt><dd>' },
    ...descriptionOf(element),
  ]
  return { open, close: [{ html: '</dd></dl>' }] }
}

const around = (open: string, close = ''): Written => ({
  open: [{ html: open }],
  close: [{ html: close }],
})

/** An entry in a tree of files. */
const file: Writer = (element) => {
  const name = escapeHtml(textOf(element, titles) ?? '')
  const [start, end] = element.hasChildren ? ['<ul>', '</ul>'] : ['', '']
  return around(`<li>${name}${start}`, `${end}</li>`)
}

const figure: Writer = (element) => {
  const inline = inlineOf(element, 'caption title')
  const close = inline
    ? [{ html: '<figcaption>' }, { inline }, { html: '</figcaption></figure>' }]
    : [{ html: '</figure>' }]
  return { open: [{ html: '<figure>' }], close }
}

const code: Writer = (element) => {
  const text = textOf(element, 'code chart value content')
  const title = textOf(element, 'title filename fileName')?.replaceAll('"', "'")
  const language = element.key === 'mermaid' ? 'mermaid' : (textOf(element, 'language lang') ?? '')
  const info = language.replaceAll(/\s/g, '') + (title === undefined ? '' : ` title="${title}"`)
  if (text !== undefined) return { open: [{ code: `${text}\n`, info }], isHidden: true }
  return { language: info, box: title === undefined ? undefined : { kind: 'code', title } }
}

const update: Writer = (element) => {
  const heading = inlineOf(element, 'label title date version') ?? 'Update'
  return { open: [{ heading, level: 2 }, ...descriptionOf({ ...element, hasChildren: false })] }
}

const install: Writer = (element) => {
  const more = `${isSet(element, 'dev') ? ' -D' : ''} ${textOf(element, 'pkg package name') ?? ''}`
  const managers = { npm: 'npm install', yarn: 'yarn add', pnpm: 'pnpm add', bun: 'bun add' }
  const open = Object.entries(managers).map(([name, command]) => ({
    code: `${command}${more}\n`,
    info: `sh [${name}]`,
  }))
  return { box: { kind: 'code-group' }, open }
}

const video: Writer = (element) => {
  const id = textOf(element, 'id videoId youtubeId')
  const href = textOf(element, 'src url href') ?? (id && `https://www.youtube.com/watch?v=${id}`)
  const title = textOf(element, 'title name caption') ?? href
  return {
    open: href
      ? [{ html: `<p><a${attribute('href', href)}>Video: ${escapeHtml(title ?? '')}</a></p>` }]
      : [],
  }
}

const text: Writer = (element) => {
  const words = [inlineOf(element, 'name title'), textOf(element, 'value')].filter(Boolean)
  return { open: words.length === 0 ? [] : [{ markdown: words.join(': ') }] }
}

const columns: Writer = (element) =>
  boxed(/^col/.test(element.firstChild) ? 'columns' : 'cards')(element)

/** Those that are no box, or not in every case. */
const blocks = tableOf<Writer>([
  ['tab tabitem tabpanel', tab],
  ['columns row cols', columns],
  ['note tip info warning caution danger check important error success', callout],
  ['callout admonition aside alert banner hint', callout],
  ['frame figure', figure],
  ['codeblock code mermaid diagram', code],
  ['paramfield responsefield field propertyfield apifield typefield', field],
  ['update', update],
  [
    'prompt',
    (element) => ({ box: { kind: 'card', title: inlineOf(element, 'description') ?? '' } }),
  ],
  ['packagemanagers packagemanager packageinstall npm2yarn', install],
  ['tree files', () => around('<ul>', '</ul>')],
  ['folder file', file],
  ['video youtube liteyoutubeembed vimeo loom', video],
  ['color item', text],
  ['head style script helmet tableofcontents doccardlist', () => ({ isHidden: true })],
  ['accordiongroup accordions browseronly clientonly show visibility view panel', () => ({})],
  ['preview fragment filetree bleed suspense center wrapper container div section', () => ({})],
])

function blockWriter(key: string): Writer | undefined {
  const kind = boxKinds.get(key)
  return blocks.get(key) ?? (kind && boxed(kind))
}

const link: Writer = (element) => {
  const href = hrefOf(element)
  const label = element.hasChildren ? '' : (textOf(element, `text ${titles}`) ?? href ?? '')
  if (href === undefined) return around(escapeHtml(label))
  return around(`<a${attribute('href', href)}>${escapeHtml(label)}`, '</a>')
}

const badge: Writer = (element) => {
  const isText = element.key !== 'icon' && !element.hasChildren
  return around(isText ? escapeHtml(textOf(element, `text version ${titles}`) ?? '') : '')
}

const image: Writer = (element) => {
  const sources = element.attributes.get('sources')
  const dark = fieldOf(sources, 'dark') ?? textOf(element, 'dark darkSrc')
  const light = fieldOf(sources, 'light') ?? textOf(element, 'src img light lightSrc')
  const both = [`${light}#only-light`, `${dark}#only-dark`]
  const more = ['alt', 'width', 'height'].map((name) => attribute(name, textOf(element, name)))
  const shown = dark && light ? both : [light ?? dark].filter((src) => src !== undefined)
  return around(shown.map((src) => `<img${attribute('src', src)}${more.join('')}>`).join(''))
}

const tooltip: Writer = (element) =>
  around(
    `<abbr${attribute('title', textOf(element, 'tip content text headline title'))}>`,
    '</abbr>',
  )

const inlines = tableOf<Writer>([
  ['icon faicon badge pill chip tag label version kbd', badge],
  ['link navlink doclink a linkbutton button previewbutton anchor nextlink routerlink', link],
  ['image img themedimage nextimage imagezoom screenshot', image],
  ['tooltip hovercard', tooltip],
])

/** Names that are components in lower case, too. */
const lowerCase = new Set(
  'codegroup codeblock codetabs tabs tab steps step cards card cardgrid cardgroup callout note tip warning info danger caution accordion badge icon linkcard clientonly'.split(
    ' ',
  ),
)

/** Old pages write HTML in capitals. */
const htmlInCapitals =
  /^(?:[ABIPQSU]|H[1-6R]|BR|EM|T[DHRT]|[UOD]L|LI|D[TD]|DIV|IMG|PRE|SU[BP]|VAR|KBD|CODE|FONT|SPAN|SMALL|TABLE|TBODY|THEAD|CENTER|STRONG|SCRIPT|STYLE|IFRAME|INPUT|FORM|META|LINK|BASE|BODY|HTML|HEAD|BLOCKQUOTE|OBJECT|EMBED|SVG)$/

/** Whether a tag is a component, and not of HTML. */
export function isComponent(name: string): boolean {
  if (/^[A-Z]/.test(name)) return !htmlInCapitals.test(name)
  return lowerCase.has(keyOf(name)) || /^[a-z]\w*\.[A-Za-z]/.test(name)
}

/** Whether it is shown as a block of its own, also in the middle of a paragraph. */
export const isBlockComponent = (name: string): boolean =>
  isComponent(name) && blockWriter(keyOf(name)) !== undefined

export const isInlineComponent = (name: string): boolean =>
  isComponent(name) && inlines.has(keyOf(name))

export const isKnownComponent = (name: string): boolean =>
  isBlockComponent(name) || isInlineComponent(name)

export function writeBlock(element: Element): Written {
  const known = blockWriter(element.key) ?? inlines.get(element.key)
  if (known) return known(element)
  // One with a title and a link is a card, whatever its name is.
  const title = inlineOf(element, titles)
  if (title !== undefined && hrefOf(element) !== undefined) return boxed('card')(element)
  const lead = element.hasChildren || title === undefined ? [] : [{ markdown: `**${title}**` }]
  return { isUnknown: true, open: [...lead, ...descriptionOf(element)] }
}

/** In a paragraph, a block only keeps its children. */
export function writeInline(element: Element): Written {
  const known = inlines.get(element.key)
  return known ? known(element) : { isUnknown: blockWriter(element.key) === undefined }
}
