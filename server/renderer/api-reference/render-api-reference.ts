// Renders the OpenAPI documents among the sources as static pages. They are untrusted: all their text is escaped,
// except text that `markdown` renders to safe HTML.
import type { ListedReference, NavigationItem } from '../site/navigation.ts'
import { DeployFailure } from '../site-files/site-file.ts'
import { hrefOf, navigationKey } from '../sources/addresses.ts'
import { capital, createNumbering, kebabCase, oneLine } from '../sources/plain-text.ts'
import type { Page } from '../sources/render-input.ts'
import { isSameServer, type SiteSettings } from '../sources/settings.ts'
import {
  entriesField,
  flagField,
  listField,
  textField,
  textsField,
} from './document/document-values.ts'
import { type ApiDocument, readApiDocuments } from './document/read-document.ts'
import { type Operation, readOperations, readSecuritySchemes } from './document/read-operations.ts'
import { operationPage } from './operation-page.ts'
import { overviewPage } from './overview-page.ts'
import {
  commonHeaders,
  createContext,
  type OperationGroup,
  type Reference,
  type ReferenceTools,
} from './reference-context.ts'
import { schemaPages } from './schema-pages.ts'

/** More are not searched for, so that a hostile document costs little. */
const maxFound = 1_000

/**
 * What is wrong with a document that can be rendered nevertheless, with the line: at most 1,000, in the order of the
 * document. Equal ones of one line are listed once.
 */
function documentProblems(
  { fault }: ApiDocument,
  operations: readonly Operation[],
  schemes: ReadonlyMap<string, unknown>,
): DeployFailure[] {
  const problems = new Map<string, DeployFailure>()
  const firstUse = new Map<string, Operation>()
  let isDocumentsSecurityRead = false

  for (const operation of operations) {
    const { isWebhook, method, operationId, parameters, route, security = [] } = operation
    const keys = [isWebhook ? 'webhooks' : 'paths', route, method.toLowerCase()]
    const add = (message: string, ...place: string[]) => {
      if (problems.size >= maxFound) return
      const problem = fault(message, ...place)
      problems.getOrInsert(`${problem.line} ${message}`, problem)
    }
    if (!isWebhook) {
      const inRoute = new Set([...route.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name))
      const inPath = parameters.filter((item) => item.in === 'path')
      const declared = new Set(inPath.map(({ name }) => name))
      for (const name of inRoute.difference(declared)) {
        const message = `The path has ${shown(name)}, which no parameter with in: path declares. Add it.`
        add(message, ...keys)
      }
      for (const name of declared.difference(inRoute)) {
        const message = `The parameter ${shown(name)} is in: path, but not in the path. Remove it, or correct its name.`
        add(message, ...keys, 'parameters')
      }
    }
    if (operationId !== undefined) {
      const first = firstUse.getOrInsert(operationId, operation)
      if (first !== operation) {
        const message = `The operationId ${shown(operationId)} is also that of ${oneLine(`${first.method} ${first.route}`)}. Each needs its own.`
        add(message, ...keys, 'operationId')
      }
    }
    if (!operation.hasOwnSecurity && isDocumentsSecurityRead) continue
    isDocumentsSecurityRead ||= !operation.hasOwnSecurity
    for (const { scheme } of security.flat()) {
      if (schemes.has(scheme)) continue
      const message = `There is no security scheme ${shown(scheme)} in components.securitySchemes. Add it, or correct its name.`
      add(message, ...(operation.hasOwnSecurity ? keys : []), 'security')
    }
  }
  return [...problems.values()]
}

function shown(name: string): string {
  return `"${oneLine(name, 80)}"`
}

/**
 * The references of the sources, or undefined if they contain no OpenAPI document (readApiDocuments). The pages of one
 * document are under `reference/`, those of several under `reference/NAME/`. `render` returns the pages one by one; `problems`
 * do not stop the build. Throws DeployFailure with file and line if the main document cannot be used.
 */
export function renderApiReference(
  sources: ReadonlyMap<string, Uint8Array>,
  tools: ReferenceTools,
): RenderedReferences | undefined {
  const { documents, problems } = readApiDocuments(sources)
  if (documents.length === 0 && problems.length === 0) return undefined
  const places = placesOf(documents)
  const rendered = documents.flatMap((document, index) => {
    try {
      const reference = readReference(document, tools, places[index])
      // Those of others are rendered now, because their errors do not stop the build.
      const pages = document.isMain ? undefined : [...referencePages(reference)]
      return { reference, pages }
    } catch (error) {
      if (!(error instanceof DeployFailure) || document.isMain) throw error
      problems.push(error)
      return []
    }
  })
  const references = rendered.map(({ reference }) => reference)
  if (tools.tryIt) refuseOtherServer(tools.tryIt, references)
  for (const { context, operations, schemes } of references) {
    problems.push(...documentProblems(context.document, operations, schemes))
  }
  return {
    pages: references.flatMap(outlineOf),
    listed: references.map(listedReference),
    problems,
    *render() {
      for (const { pages, reference } of rendered) yield* pages ?? referencePages(reference)
    },
  }
}

export interface RenderedReferences {
  /** Before they are rendered. */
  pages: Pick<Page, 'path' | 'title'>[]
  listed: ListedReference[]
  problems: DeployFailure[]
  render(): Generator<Page>
}

interface Place {
  folder: string
  /** Of the overview, and of the group in the navigation. */
  title: string
}

const onlyPlace: Place = { folder: 'reference/', title: 'API reference' }
const generalName =
  /^(openapi|swagger|api|apis|index|main|root|spec|specs|specification|docs|reference)$/i

/** Several documents are named for their files, or for their folders if the files have general names. */
function placesOf(documents: readonly ApiDocument[]): Place[] {
  if (documents.length === 1) return [onlyPlace]
  const nameUnique = createNumbering(1, ['index', 'schemas'])
  const titles = documents.map(({ root }) => oneLine(textField(root.info, 'title') ?? 'API', 80))
  return documents.map(({ path }, index) => {
    const names = path
      .replace(/\.\w+$/, '')
      .split('/')
      .reverse()
    const own = names.map((name) => name.replace(/[-_.](openapi|swagger|api)$/i, ''))
    const title = titles[index] ?? ''
    const name = nameUnique(
      kebabCase(own.find((part) => !generalName.test(part)) ?? title) || 'api',
    )
    const isShared = titles.filter((other) => other === title).length > 1
    return { folder: `reference/${name}/`, title: isShared ? `${title} (${name})` : title }
  })
}

function outlineOf({ context, operations }: Reference): Pick<Page, 'path' | 'title'>[] {
  const { overviewPath, schemaPages, schemasPath, title } = context
  const schemas = [...schemaPages].map(([name, path]) => ({ title: oneLine(name), path }))
  const list = schemas.length > 0 ? [{ title: 'Schemas', path: schemasPath }] : []
  return [{ title, path: overviewPath }, ...operations, ...list, ...schemas]
}

function* referencePages(reference: Reference): Generator<Page> {
  const groupOf = new Map<Operation, string>()
  for (const { operations, title } of reference.groups) {
    for (const operation of operations) groupOf.getOrInsert(operation, title)
  }
  yield overviewPage(reference)
  for (const operation of reference.operations) {
    yield { ...operationPage(operation, reference), group: groupOf.get(operation) }
  }
  yield* schemaPages(reference)
}

function listedReference({ context, groups }: Reference): ListedReference {
  const { document, overviewPath, schemaPages, schemasPath, title } = context
  const schemas = [...schemaPages].map(([name, path]) => ({ title: oneLine(name, 80), path }))
  const all = { title: 'All schemas', path: schemasPath }
  const withPages = groups.filter(({ operations }) => operations.length > 0)
  const sections = Map.groupBy(withPages, ({ section }) => section)
  const children: NavigationItem[] = [
    { title: 'Overview', path: overviewPath },
    ...[...sections].flatMap(([section, members]) => {
      const items = members.map((group) => ({
        title: group.title,
        children: group.operations.map(operationItem),
      }))
      return section === undefined ? items : [{ title: section, children: items }]
    }),
    ...(schemas.length > 0 ? [{ title: 'Schemas', children: [all, ...schemas] }] : []),
  ]
  // The folder of all references lists each of them.
  const keys = ['reference', navigationKey(overviewPath), navigationKey(document.path)]
  return { item: { title, children }, keys }
}

function operationItem({ title, path, method, deprecation }: Operation): NavigationItem {
  return { title, path, badge: deprecation === undefined ? method : 'Deprecated' }
}

function readReference(document: ApiDocument, tools: ReferenceTools, place = onlyPlace): Reference {
  const { tryIt } = tools
  const { folder } = place
  const schemaPath = createPageNames(`${folder}schemas/`, ['index'])
  const pagesOfSchemas = new Map(
    entriesField(document.root.components, 'schemas').map(([name]) => [name, schemaPath(name)]),
  )
  const context = createContext(document, pagesOfSchemas, tools, place)
  const operationPath = createPageNames(folder, ['index', 'schemas'])
  const operations = readOperations(document, context.resolve, operationPath)
  for (const { operationId, path } of operations) {
    if (operationId !== undefined) context.anchor('operation', operationId, hrefOf(path))
  }
  const schemes = readSecuritySchemes(document, context.resolve)
  const groups = groupOperations(document, operations)
  return { context, operations, groups, schemes, tryIt, headers: commonHeaders(operations) }
}

/** Throws DeployFailure if no operation has the server. */
function refuseOtherServer(
  { server, ...place }: NonNullable<SiteSettings['tryIt']>,
  references: readonly Reference[],
): void {
  const operations = references.flatMap((reference) => reference.operations)
  const urls = new Set(operations.flatMap(({ servers }) => servers.map(({ url }) => url)))
  if ([...urls].some((url) => isSameServer(url, server))) return
  const known =
    [...urls]
      .slice(0, 10)
      .map((url) => oneLine(url))
      .join(', ') || 'none'
  const message = `tryIt.server must be one of the servers of the OpenAPI document: ${known}.`
  throw new DeployFailure(message, place)
}

/** Returns a unique and readable path for each name. `taken` are names without folder and extension. */
function createPageNames(folder: string, taken: string[]): (name: string) => string {
  const toUnique = createNumbering(1, taken)
  return (text) => `${folder}${toUnique(kebabCase(text) || 'unnamed')}.html`
}

/**
 * By tag, in the order in which `x-tagGroups` and then `tags` name them; an operation with several is in each. Webhooks are a
 * group of their own.
 */
function groupOperations({ root }: ApiDocument, operations: Operation[]): OperationGroup[] {
  const tags = new Map(
    listField(root, 'tags').flatMap((tag) => {
      const name = textField(tag, 'name')
      return name === undefined ? [] : [[name, tag] as const]
    }),
  )
  const sections = new Map(
    listField(root, 'x-tagGroups').flatMap((group) =>
      textsField(group, 'tags').map((tag) => [tag, textField(group, 'name')] as const),
    ),
  )
  const byTag = new Map<string, Operation[]>()
  const requests = operations.filter(({ isWebhook }) => !isWebhook)
  for (const operation of requests) {
    for (const tag of new Set(operation.tags.slice(0, 20)))
      byTag.getOrInsert(tag, []).push(operation)
  }
  const names = new Set([...sections.keys(), ...tags.keys(), ...byTag.keys()])
  const groups = [...names].map((name) => {
    const tag = tags.get(name)
    const title = textField(tag, 'x-displayName') ?? textField(tag, 'summary') ?? capital(name)
    const section = sections.get(name)
    return {
      tag: name,
      title: oneLine(title, 80),
      section: section === undefined ? undefined : oneLine(section, 80),
      description: textField(tag, 'description'),
      // A tag that is only text (`x-traitTag`).
      isText: flagField(tag, 'x-traitTag'),
      operations: byTag.get(name) ?? [],
    }
  })
  const others = { tag: undefined, section: undefined, description: undefined, isText: false }
  const untagged = requests.filter((operation) => operation.tags.length === 0)
  const rest = byTag.size > 0 ? 'Other operations' : 'Operations'
  const webhooks = operations.filter(({ isWebhook }) => isWebhook)
  return [
    ...groups,
    { ...others, title: rest, operations: untagged },
    { ...others, title: 'Webhooks', operations: webhooks },
  ].filter(({ isText, operations }) => isText || operations.length > 0)
}
