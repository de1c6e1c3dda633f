// What a name means, however a block is written: `:::name`, `{% name %}`, `{{< name >}}` and `<Name>` are one element here, and
// become a box, HTML or code. Names are looked up in lower case, without hyphens and by their last part: `Tabs.Tab`, `TAB` and
// `ui/tab` are the same. An element without a row is unknown: it keeps its children, and its reader reports it.
import { type Box, tableOf } from '../markdown/boxes.ts'
import { calloutNamed, calloutOf } from '../markdown/callouts.ts'
import { escapeHtml } from '../markdown/html.ts'
import { readableName } from '../sources/addresses.ts'
import { githubSlug } from '../sources/generator.ts'
import { recordOf } from '../sources/plain-values.ts'

/** A value that the source itself says: no variable and no call. */
export type Literal = string | number | boolean | null | Literal[] | { [name: string]: Literal }

export interface Element {
  /** As it was written; empty for a fragment. */
  name: string
  /** Its texts are not Markdown, and links lead to it by its title. */
  isJsx: boolean
  /** Those without a name are called `0`, `1` and so on. */
  attributes: ReadonlyMap<string, Literal>
  hasChildren: boolean
  /** The first text in it, and whether it is code. */
  text?: string
  isCode?: boolean
  parent?: Element | undefined
  /** Its position among the elements of its parent. */
  index: number
}

/** What is written around the children, in this order. HTML is sanitised. */
export interface Written {
  /** HTML before all. */
  open?: string
  box?: Box | undefined
  /** A paragraph of Markdown. */
  lead?: string | undefined
  /** Code, with the `language`. */
  code?: string
  /** The children are not shown. */
  isHidden?: boolean
  /** The children are code with this behind the marks of its fence. */
  language?: string | undefined
  /** Inline Markdown below the children. */
  caption?: string | undefined
  /** HTML behind all. */
  close?: string
  /** It has no rendering of its own. */
  isUnknown?: boolean
  /** For want of this file, something is missing. */
  missing?: string
}

export const keyOf = (name: string): string =>
  name
    .slice(Math.max(name.lastIndexOf('.'), name.lastIndexOf('/')) + 1)
    .toLowerCase()
    .replaceAll(/[-_]/g, '')

const argument =
  /([\w-]+)=(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|`([^`]*)`|(\S+))|#([\w.-]{1,100})(?=\s|$)|"((?:[^"\\]|\\.)*)"|'([^']*)'|`([^`]*)`|(\S+)/g

/** `key="value"`, `#id`, and values without a name; words are also set by themselves. */
export function readArguments(text: string): Map<string, Literal> {
  const found = new Map<string, Literal>()
  let count = 0
  for (const [all, key, ...values] of text.matchAll(argument)) {
    const value = values.find((each) => each !== undefined)?.replaceAll(/\\(["\\])/g, '$1') ?? ''
    if (key !== undefined) found.set(key.toLowerCase(), value)
    else if (all.startsWith('#')) found.set('id', value)
    else found.set(String(count++), value)
    if (all === value) found.set(value, true)
  }
  return found
}

/** The first of these attributes that has a text. */
export function textOf({ attributes }: Element, names: string): string | undefined {
  const values = names.split(' ').map((name) => attributes.get(name))
  const value = values.find(
    (each) => typeof each === 'number' || (typeof each === 'string' && each.trim()),
  )
  return value === undefined ? undefined : String(value).trim()
}

/** The same as inline Markdown. In JSX, `<` and `{` begin nothing. */
function inlineOf(element: Element, names: string): string | undefined {
  const text = textOf(element, names)
  if (!element.isJsx) return text
  return text?.replaceAll('<', '&lt;').replaceAll('{', '&#123;').replaceAll(/\s+/g, ' ')
}

const codeSpan = (text: string): string => `\`${text.replaceAll(/`|\s+/g, ' ')}\``

/** For HTML. A text may have character references already. */
export const attribute = (name: string, value: string | undefined): string =>
  value === undefined ? '' : ` ${name}="${value.replaceAll(/["<>]/g, escapeHtml)}"`

const titles = 'title label summary header heading name date'
const hrefOf = (element: Element) => textOf(element, 'href to link url')?.replaceAll('&amp;', '&')
const unset = new Set<unknown>([undefined, false, null, 'false'])
const isSet = ({ attributes }: Element, names: string) =>
  names.split(' ').some((name) => !unset.has(attributes.get(name)))
const descriptionOf = (element: Element) =>
  inlineOf(element, element.hasChildren ? 'description' : 'description text content subtitle')
/** In Mintlify, links lead to accordions and to the fields of APIs. */
const anchor = (text = '') => (text === '' ? '' : `<span${attribute('id', text)}></span>`)

type Writer = (element: Element) => Written | undefined

const boxed =
  (kind: Box['kind']): Writer =>
  (element) => {
    const href = hrefOf(element)
    const hasTitle = /^(?:card|details|step)$/.test(kind)
    const title = hasTitle ? (inlineOf(element, `${titles} 0`) ?? (href && nameOf(href))) : ''
    const isOpen = isSet(element, 'defaultOpen open') || element.name.toLowerCase() === 'update'
    const box = { kind, title, href, isOpen }
    const id = textOf(element, 'id') ?? textOf(element, titles) ?? ''
    const open = kind === 'details' && element.isJsx && id ? anchor(githubSlug(id)) : ''
    return { open, box, lead: descriptionOf(element) }
  }

const listOf = (value: Literal | undefined): Literal[] =>
  typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : []

const tab: Writer = (element) => {
  const { parent, index, attributes } = element
  if (isSet(element, 'disabled')) return { isHidden: true }
  const value = textOf(element, 'value id')
  const listed = (name: string) => listOf(parent?.attributes.get(name))
  const items = listed('values').map(recordOf)
  const item = items.find((each) => value !== undefined && each.value === value)
  const label = String(item?.label ?? listed('items')[index] ?? '')
  const given = { ...element, attributes: new Map([['label', label], ...attributes]) }
  const title = inlineOf(given, 'label title name header 0 value') ?? ''
  const chosen = parent && textOf(parent, 'defaultValue default')
  const isOpen = isSet(element, 'default') || (value !== undefined && value === chosen)
  const language = textOf(element, 'lang') ?? (parent && textOf(parent, 'lang')) ?? ''
  return { box: { kind: 'tab', title, isOpen }, ...(element.isCode && { language }) }
}

const callout: Writer = (element) => {
  const kind = textOf(element, 'type variant kind style status intent color class 0')
  const key = keyOf(element.name)
  const title = inlineOf(element, textOf(element, 'type style color') ? `${titles} 0` : titles)
  const names = [kind ?? '', key === 'hint' ? 'note' : key]
  return { box: calloutOf(names, title), lead: descriptionOf(element) }
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
  const title = `${name ? codeSpan(name) : ''} <small>${facts.filter(Boolean).join(', ')}</small>`
  const open = name ? anchor(`param-${githubSlug(name)}`) : ''
  return { open, box: { kind: 'field', title }, lead: descriptionOf(element) }
}

const image: Writer = (element) => {
  const names = ['src', 'alt', 'width', 'height']
  const written = names.map((name) => attribute(name, textOf(element, name)))
  return element.attributes.has('src') ? { open: `<img${written.join('')}>` } : undefined
}

const figure: Writer = (element) => {
  const { open = '' } = image(element) ?? {}
  const caption = inlineOf(element, 'caption title')
  return { open: `<figure>${open}`, caption, close: '</figure>' }
}

const code: Writer = (element) => {
  const text = textOf(element, 'code chart value content')
  const key = keyOf(element.name)
  const own = /^(?:mermaid|math|katex)$/.exec(key)?.[0].replace('katex', 'math')
  const settings = key === 'codetoggle' ? languageOf(element.text ?? '') : undefined
  const language = own ?? settings ?? textOf(element, 'language lang 0') ?? ''
  const file = textOf(element, 'title filename fileName file')?.replaceAll('"', "'")
  const title = file && settings ? `${file}.${settings}` : file
  const info = language.replaceAll(/\s/g, '') + (title ? ` title="${title}"` : '')
  if (text !== undefined) return { code: `${text}\n`, language: info, isHidden: true }
  if (!element.hasChildren) return undefined
  return { language: info }
}

function languageOf(settings: string): string {
  if (/^\s*[{[]\s*"/.test(settings)) return 'json'
  return /^\s*(?:[\w.-]+[ \t]*=|\[)/m.test(settings) ? 'toml' : 'yaml'
}

const linkCard: Writer = (element) => {
  const href = textOf(element, 'url href src')
  const [, text = ''] = /\[([^\]\n]{1,200})\]\(/.exec(element.text ?? '') ?? []
  const isPath = text === '' || /^[^\s]*\.\w+$/.test(text) || text === href
  const isHidden = keyOf(element.name) === 'contentref'
  if (href === undefined) return undefined
  return { box: { kind: 'card', title: isPath ? nameOf(href) : text, href }, isHidden }
}

/** The last part of an address, as a title. */
export function nameOf(address: string): string {
  if (/^https?:/.test(address)) return address.replace(/^https?:\/\/(?:www\.)?/, '').slice(0, 80)
  const path = address.replace(/[?#].*$/, '').replace(/\/(?:README\.md|index\.md)?$/i, '')
  const isFile = /\.(?!md$)[^/]*$/.test(path)
  const name = isFile ? path.slice(path.lastIndexOf('/') + 1) : readableName(path)
  return name.replaceAll(/[*[\]`<>]/g, '') || 'Link'
}

const video: Writer = (element) => {
  const id = textOf(element, 'id videoId youtubeId 0')
  const site = keyOf(element.name) === 'vimeo' ? 'vimeo.com/' : 'www.youtube.com/watch?v='
  const href = textOf(element, 'src url href') ?? (id && `https://${site}${id}`)
  const title = escapeHtml(textOf(element, 'title name caption') ?? href ?? '')
  return href ? { open: `<p><a${attribute('href', href)}>Video: ${title}</a></p>` } : undefined
}

/** The names of callouts are those of their tones, too. */
const blocks = tableOf<Writer>([
  [
    'details dropdown collapse collapsible expand expander expandable toggle fold accordion accordionitem spoiler update detailedexplanation',
    boxed('details'),
  ],
  ['tab tabitem', tab],
  ['tabs tabset tabpane tabgroup codegroup codetabs requestexample responseexample', boxed('tabs')],
  ['steps stepper', boxed('steps')],
  ['step', boxed('step')],
  ['cards cardgrid cardpane cardgroup grid tiles columns cols row', boxed('grid')],
  ['card linkcard griditemcard feature tile prompt', boxed('card')],
  ['column col griditem', boxed('column')],
  ['callout admonition aside alert banner notice pageinfo hint', callout],
  ['codeblock code mermaid math katex highlight codetoggle', code],
  ['frame figure figuremd', figure],
  ['paramfield responsefield field', field],
  ['embed file contentref', linkCard],
  ['video youtube liteyoutubeembed vimeo', video],
  ['include readfile', (element) => ({ missing: textOf(element, '0 file') ?? '' })],
  ['head style script tableofcontents comment', () => ({ isHidden: true })],
  ['vpre raw group div span only cover lead section updates fragment preview bleed', () => ({})],
  [
    'accordiongroup accordions clientonly browseronly show visibility view panel filetree',
    () => ({}),
  ],
])

const link: Writer = (element) => {
  const href = hrefOf(element)
  const label = element.hasChildren ? '' : (textOf(element, `text ${titles} 0`) ?? href ?? '')
  if (href === undefined) return { open: escapeHtml(label) }
  return { open: `<a${attribute('href', href)}>${escapeHtml(label)}`, close: '</a>' }
}

const badge: Writer = (element) => {
  const isText = keyOf(element.name) !== 'icon' && !element.hasChildren
  const names = `text content version ${titles} 0`
  return { open: isText ? escapeHtml(textOf(element, names) ?? '') : '' }
}

const tooltip: Writer = (element) => {
  const text = textOf(element, 'tip content text headline title')
  return { open: `<abbr${attribute('title', text)}>`, close: '</abbr>' }
}

/** What came or went with a version: a callout around its children, or a mark in a text. */
const version =
  (what: string, tone: Box['tone']): Writer =>
  (element) => {
    const title = `${what} in version ${textOf(element, '0 title') ?? ''}`
    if (!element.hasChildren) return { open: `<strong>${escapeHtml(title)}</strong>` }
    return { box: { kind: 'callout', tone, title } }
  }

const inlines = tableOf<Writer>([
  ['icon badge pill tag label version kbd glossaryterm', badge],
  ['link a linkbutton button previewbutton anchor', link],
  ['image img', image],
  ['tooltip', tooltip],
  ['newin versionadded', version('New', 'tip')],
  ['versionchanged', version('Changed', 'note')],
  ['deprecatedin deprecated', version('Deprecated', 'warning')],
])

const blockWriter = (key: string): Writer | undefined =>
  blocks.get(key) ?? (calloutNamed(key) && callout)

/** Whether a name has a meaning: as a block of its own, also in the middle of a paragraph, or in a text. */
export function placeOfName(name: string): 'block' | 'inline' | undefined {
  const key = keyOf(name)
  return blockWriter(key) ? 'block' : inlines.has(key) ? 'inline' : undefined
}

export function writeBlock(element: Element): Written {
  const key = keyOf(element.name)
  const written = (blockWriter(key) ?? inlines.get(key))?.(element)
  if (written) return written
  // One with a title and a link is a card, whatever its name is.
  const title = inlineOf(element, titles)
  if (title !== undefined && hrefOf(element) !== undefined) return boxed('card')(element) ?? {}
  const lead = element.hasChildren || title === undefined ? descriptionOf(element) : `**${title}**`
  return { isUnknown: true, lead }
}

/** In a paragraph, a block only keeps its children. */
export function writeInline(element: Element): Written {
  const key = keyOf(element.name)
  const isUnknown = inlines.has(key) || !blockWriter(key)
  const { box: _, ...known } = inlines.get(key)?.(element) ?? { isUnknown }
  return known
}
