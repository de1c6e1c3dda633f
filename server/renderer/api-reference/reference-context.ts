// What the pages of a reference share: what was read, links to schemas, untrusted text as HTML, and drafts of pages. All output is counted, so that a small document cannot produce endless pages.

import type { Highlight } from '../markdown/highlight.ts'
import { Html, html, unescapeHtml, type Value } from '../markdown/html.ts'
import { hrefOf } from '../sources/addresses.ts'
import { createNumbering, cut, describe, kebabCase } from '../sources/plain-text.ts'
import type { Heading, Page, SearchPart } from '../sources/render-input.ts'
import type { SiteSettings } from '../sources/settings.ts'
import { entriesField, listField, textField } from './document/document-values.ts'
import type { ApiDocument } from './document/read-document.ts'
import { readOperations, readSecuritySchemes } from './document/read-operations.ts'
import { createResolver, decoded, nameOf } from './document/resolve-refs.ts'
import { commonHeaders, groupOperations } from './operation-groups.ts'
import { referenceMarkdown } from './reference-markdown.ts'

export type Reference = ReturnType<typeof readReference>

export function readReference(document: ApiDocument, tools: ReferenceTools, place: Place) {
  /** Unique and readable paths. `taken` are names without folder and extension. */
  const pathsIn = (folder: string, taken: string[]) => {
    const toUnique = createNumbering(1, taken)
    return (text: string) => `${folder}${toUnique(kebabCase(text) || 'unnamed')}.html`
  }
  const schemaPath = pathsIn(`${place.folder}schemas/`, ['index'])
  const schemas = entriesField(document.root.components, 'schemas')
  const schemaPages = new Map(schemas.map(([name]) => [name, schemaPath(name)]))
  const context = createContext(document, schemaPages, tools, place)
  const operationPath = pathsIn(place.folder, ['index', 'schemas'])
  const operations = readOperations(document, context.resolve, operationPath)
  for (const { operationId, path } of operations) {
    if (operationId !== undefined) context.anchor('operation', operationId, hrefOf(path))
  }
  const schemes = readSecuritySchemes(document, context.resolve)
  const groups = groupOperations(document, operations)
  const headers = commonHeaders(operations)
  return { context, operations, groups, schemes, tryIt: tools.tryIt, headers }
}

export interface Place {
  folder: string
  /** Of the overview, and of the group in the navigation. */
  title: string
}

export type ReferenceContext = ReturnType<typeof createContext>

export interface ReferenceTools {
  highlight: Highlight
  /** Markdown as safe HTML. */
  markdown(text: string): string
  /** One of the servers of the document. */
  tryIt?: SiteSettings['tryIt']
}

type AnchorKind = 'tag' | 'operation' | 'section' | 'schema'

/** Of the pages of a document: this, or ten times what it has itself. */
const maxCharacters = 100_000_000
const largeCharacters = 20_000_000
const maxCodeLength = 50_000

/** `schemaPages`: path of the page by the name of the schema. `folder` has the pages of the document, `title` is its name. */
function createContext(
  document: ApiDocument,
  schemaPages: ReadonlyMap<string, string>,
  { highlight, markdown }: ReferenceTools,
  { folder, title }: Place,
) {
  const proseTexts = new Map<string, Html>()
  let used = 0

  /** Counts output. Throws DeployFailure if it exceeds the limit. */
  function charge(characters: number): void {
    used += characters
    if (used > Math.max(maxCharacters, 10 * document.length)) {
      throw document.fault(
        'The pages of this document would have more than 100 MB, and than ten times its own size, because much of it is repeated by $ref. Make it smaller, or split it.',
      )
    }
  }

  /** Markdown whose headings are below those of the page. Nothing without text. */
  function prose(text = ''): Html | false {
    if (text === '') return false
    const safe = proseTexts.getOrInsertComputed(
      text,
      () => new Html(`<div class="api-text">${lowerHeadings(markdown(text))}</div>`),
    )
    charge(safe.text.length)
    return safe
  }

  const overviewHref = hrefOf(`${folder}index.html`)
  const anchors = new Map<string, string>()

  /** Remembers where `#tag/NAME`, `#operation/NAME` and such of descriptions lead, as viewers of OpenAPI write it. */
  function anchor(kind: AnchorKind, name: string, href: string): void {
    const target = href.startsWith('#') ? overviewHref + href : href
    anchors.getOrInsert(`${kind} ${kebabCase(name)}`, target)
  }
  for (const [name, path] of schemaPages) anchor('schema', name, hrefOf(path))

  /** With such links in safe HTML resolved, as far as what they name is there. */
  function resolveAnchors(safeHtml: string): string {
    return safeHtml.replaceAll(
      / href="#\/?(?:tag\/[^"/]+\/)?(tag|operation|section|schema)\/([^"]{1,300})"/g,
      (whole, kind: string, names: string) => {
        const last = decoded(names.split('/').at(-1) ?? '')
        const href = anchors.get(`${kind} ${kebabCase(last)}`)
        return href === undefined ? whole : ` href="${href}"`
      },
    )
  }

  /** A block of highlighted code. */
  function code(text: string, language: string, title: Html | string = ''): Html {
    const shown = text.length > maxCodeLength ? `${text.slice(0, maxCodeLength)}\n…` : text
    const tag = new Html(title === '' ? 'div' : 'figure')
    const caption = title !== '' && html`<figcaption>${title}</figcaption>`
    const block = html`<${tag} class="code-block" data-language="${language}">${caption}${new Html(highlight(shown, language))}</${tag}>`
    charge(block.text.length)
    return block
  }

  /** A link to the page of a schema; its text alone if there is none. */
  function schemaLink(name: string | undefined, text = cut(name ?? '', 80)): Html {
    const path = name === undefined ? undefined : schemaPages.get(name)
    return path === undefined ? html`${text}` : html`<a href="${hrefOf(path)}">${text}</a>`
  }

  return {
    document,
    title,
    overviewPath: `${folder}index.html`,
    schemasPath: `${folder}schemas/index.html`,
    resolve: createResolver(document),
    schemaPages,
    schemaLink,
    code,
    prose,
    anchor,
    resolveAnchors,
    subtypes: subtypesOf(document),
    charge,
    /** The counted output. */
    charged: () => used,
    /** Whether there is so much output that repetitions should be links. */
    isLarge: () => used > largeCharacters,
  }
}

/** The schemas that include a schema by allOf, by its name: the second of each pair is their name. */
function subtypesOf({ root }: ApiDocument) {
  const pairs = entriesField(root.components, 'schemas').flatMap(([name, schema]) =>
    listField(schema, 'allOf').map(
      (part) => [nameOf(textField(part, '$ref') ?? ''), name] as const,
    ),
  )
  return Map.groupBy(pairs, ([base]) => base)
}

/** The page has headings of levels 1 to 3. In safe HTML a `<` always starts a tag. */
function lowerHeadings(safeHtml: string): string {
  return safeHtml.replaceAll(
    /<(\/?)h([1-6])(?=[\s>])/g,
    (_, slash, level) => `<${slash}h${Math.min(6, Number(level) + 2)}`,
  )
}

const maxWordsLength = 8_000

export type PageDraft = ReturnType<typeof createPageDraft>

/** IDs of the sections that pages have. */
const ownIds =
  'servers authentication operations schemas rate-limits headers about request parameters body responses callbacks example used-by'

export function createPageDraft(context: ReferenceContext) {
  const { charge, charged } = context
  const toUnique = createNumbering(1, ownIds.split(' '))
  const headings: Heading[] = []
  const parts: SearchPart[] = [{ id: '', heading: '', text: '' }]
  let text = ''
  const before = charged()

  function addHeading({ level, id, text: title }: Heading, content: Value = title): string {
    if (level <= 3) headings.push({ level, id, text: title })
    const tag = new Html(`h${level}`)
    return html`<div class="heading heading-${tag}"><${tag} id="${id}">${content}</${tag}><a class="anchor" href="#${id}" aria-label="Link to “${title}”">#</a></div>`
      .text
  }

  const draft = {
    /** Markdown at the beginning of the page, whose headings are sections of the page. */
    prose(markdown = '') {
      const safe = html`${context.prose(markdown)}`.text
      const levels = [...safe.matchAll(/<h([1-6])[\s>]/g)].map(([, level]) => Number(level))
      const top = Math.min(...levels)
      text += safe.replaceAll(
        /<h([1-6])[^>]*>([\s\S]*?)<\/h\1>/g,
        (_, written, content: string) => {
          const level = Math.min(6, Number(written) - top + 2)
          const words = textOf(content)
          const id = toUnique(kebabCase(words) || 'section')
          context.anchor('section', words, `#${id}`)
          return addHeading({ level, id, text: words }, new Html(content))
        },
      )
    },
    /** Content, and its text for the search index. */
    add(content: Value, words?: string) {
      const added = html`${content}`.text
      text += added
      const part = parts.at(-1)
      if (part) part.text = `${part.text} ${words ?? textOf(added)}`.trim().slice(0, maxWordsLength)
    },
    /** A heading, which starts a new part of the search index, and what is below it. Nothing if that is empty. */
    section(id: string, title: string, content: Value, words?: string, level = 2) {
      if (html`${content}`.text === '') return
      parts.push({ id, heading: title, text: '' })
      text += addHeading({ level, id, text: title })
      draft.add(content, words)
    },
    /** The finished page; the description may be longer than one. */
    page(about: Pick<Page, 'path' | 'title' | 'description' | 'connectTo'>): Page {
      const safe = context.resolveAnchors(text)
      const markdown = referenceMarkdown(about.title, safe)
      // Most of it was counted when it was created.
      charge(Math.max(0, text.length - (charged() - before)) + markdown.length)
      const description = describe(about.description)
      return { ...about, description, html: safe, markdown, headings, parts }
    },
  }
  return draft
}

/** Of safe HTML, in which a `<` always starts a tag. */
function textOf(safeHtml: string): string {
  const text = unescapeHtml(safeHtml.replaceAll('<wbr>', '').replaceAll(/<[^>]*>/g, ' '))
  return text.replaceAll(/\s+/g, ' ').trim()
}
