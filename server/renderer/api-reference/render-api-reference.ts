// Renders the OpenAPI documents among the sources as static pages. They are untrusted: all their text is escaped,
// except text that `markdown` renders to safe HTML.
import type { ListedReference, NavigationItem } from '../site/navigation.ts'
import { DeployFailure } from '../site-files/site-file.ts'
import { navigationKey } from '../sources/addresses.ts'
import { createNumbering, kebabCase, oneLine } from '../sources/plain-text.ts'
import type { Page } from '../sources/render-input.ts'
import { isSameServer, type SiteSettings } from '../sources/settings.ts'
import { textField } from './document/document-values.ts'
import { type ApiDocument, readApiDocuments } from './document/read-document.ts'
import type { Operation } from './document/read-operations.ts'
import { operationPage } from './operation-page.ts'
import { overviewPage } from './overview-page.ts'
import {
  type Place,
  type Reference,
  type ReferenceTools,
  readReference,
} from './reference-context.ts'
import { schemaPages } from './schema-pages.ts'

/** More are not searched for, so that a hostile document costs little. */
const maxFound = 1_000

/**
 * What is wrong with a document that can be rendered nevertheless, with the line: at most 1,000, in the order of the
 * document. Equal ones of one line are listed once.
 */
function documentProblems(reference: Reference) {
  const { fault } = reference.context.document
  const found = faultsOf(reference).take(maxFound)
  const problems = found.map(([message = '', ...place]) => fault(message, ...place))
  return new Map(
    problems.map((problem) => [`${problem.line} ${problem.message}`, problem]),
  ).values()
}

/** Each is a message, and the keys that lead to its place in the document. */
function* faultsOf({ operations, schemes }: Reference): Generator<string[]> {
  const firstUse = new Map<unknown, Operation>()
  /** The security of the document is that of many operations. */
  const inheriting = operations.find(({ hasOwnSecurity }) => !hasOwnSecurity)
  for (const operation of operations) {
    const { hasOwnSecurity, isWebhook, method, operationId, parameters, route } = operation
    const keys = [isWebhook ? 'webhooks' : 'paths', route, method.toLowerCase()]
    const inRoute = new Set(Array.from(route.matchAll(/\{([^{}]*)\}/g), ([, name = '']) => name))
    const declared = new Set(parameters.flatMap((item) => (item.in === 'path' ? item.name : [])))
    for (const name of isWebhook ? [] : inRoute.symmetricDifference(declared)) {
      const lost = `The path has ${shown(name)}, which no parameter with in: path declares. Add it.`
      const extra = `The parameter ${shown(name)} is in: path, but not in the path. Remove it, or correct its name.`
      yield inRoute.has(name) ? [lost, ...keys] : [extra, ...keys, 'parameters']
    }
    const first = firstUse.getOrInsert(operationId ?? operation, operation)
    if (first !== operation) {
      const other = oneLine(`${first.method} ${first.route}`)
      const message = `The operationId ${shown(operationId ?? '')} is also that of ${other}. Each needs its own.`
      yield [message, ...keys, 'operationId']
    }
    const security = hasOwnSecurity || operation === inheriting ? operation.security : undefined
    for (const { scheme } of security?.flat() ?? []) {
      if (schemes.has(scheme)) continue
      const message = `There is no security scheme ${shown(scheme)} in components.securitySchemes. Add it, or correct its name.`
      yield [message, ...(hasOwnSecurity ? keys : []), 'security']
    }
  }
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
) {
  const { documents, problems } = readApiDocuments(sources)
  if (documents.length === 0 && problems.length === 0) return undefined
  const places = placesOf(documents)
  const rendered = documents.flatMap((document, index) => {
    try {
      const reference = readReference(document, tools, places[index] ?? onlyPlace)
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
  for (const reference of references) problems.push(...documentProblems(reference))
  return {
    /** Before they are rendered. */
    pages: references.flatMap(outlineOf),
    listed: references.map(listedReference),
    problems,
    *render() {
      for (const { pages, reference } of rendered) yield* pages ?? referencePages(reference)
    },
  }
}

export type RenderedReferences = NonNullable<ReturnType<typeof renderApiReference>>

const onlyPlace: Place = { folder: 'reference/', title: 'API reference' }
const generalName =
  /^(openapi|swagger|api|apis|index|main|root|spec|specs|specification|docs|reference)$/i

/** Several documents are named for their files, or for their folders if the files have general names. */
function placesOf(documents: readonly ApiDocument[]): Place[] {
  if (documents.length === 1) return [onlyPlace]
  const nameUnique = createNumbering(1, ['index', 'schemas'])
  const titles = documents.map(({ root }) => oneLine(textField(root.info, 'title') ?? 'API', 80))
  return documents.map(({ path }, index) => {
    const names = path.replace(/\.\w+$/, '').split('/')
    const own = names.map((name) => name.replace(/[-_.](openapi|swagger|api)$/i, ''))
    const title = titles[index] ?? ''
    const specific = own.findLast((part) => !generalName.test(part)) ?? title
    const name = nameUnique(kebabCase(specific) || 'api')
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
  const sections = Map.groupBy(
    groups.filter(({ operations }) => operations.length > 0),
    ({ section }) => section,
  )
  const listed = [...sections].flatMap(([section, members]) => {
    const items: NavigationItem[] = members.map(({ operations, title }) => ({
      title,
      children: operations.map(({ title, path, method, deprecation }) => {
        return { title, path, badge: deprecation === undefined ? method : 'Deprecated' }
      }),
    }))
    return section === undefined ? items : [{ title: section, children: items }]
  })
  const children = [
    { title: 'Overview', path: overviewPath },
    ...listed,
    ...(schemas.length > 0 ? [{ title: 'Schemas', children: [all, ...schemas] }] : []),
  ]
  // The folder of all references lists each of them.
  const keys = ['reference', navigationKey(overviewPath), navigationKey(document.path)]
  return { item: { title, children }, keys }
}

/** Throws DeployFailure if no operation has the server. */
function refuseOtherServer(
  { server, ...place }: NonNullable<SiteSettings['tryIt']>,
  references: readonly Reference[],
): void {
  const operations = references.flatMap((reference) => reference.operations)
  const urls = new Set(operations.flatMap(({ servers }) => servers.map(({ url }) => url)))
  if ([...urls].some((url) => isSameServer(url, server))) return
  const known = [...urls].slice(0, 10).map((url) => oneLine(url))
  const message = `tryIt.server must be one of the servers of the OpenAPI document: ${known.join(', ') || 'none'}.`
  throw new DeployFailure(message, place)
}
