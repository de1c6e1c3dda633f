// Renders an OpenAPI document among the sources as static pages. The document is untrusted: all its text is escaped,
// except text that `markdown` renders to safe HTML.
import type { ListedReference, NavigationItem } from '../site/navigation.ts'
import { DeployFailure } from '../site-files/site-file.ts'
import { navigationKey } from '../sources/addresses.ts'
import { capital, createNumbering, kebabCase, oneLine } from '../sources/plain-text.ts'
import type { Page } from '../sources/render-input.ts'
import { isSameServer, type SiteSettings } from '../sources/settings.ts'
import { entriesField, listField, textField } from './document/document-values.ts'
import { type ApiDocument, readApiDocument } from './document/read-document.ts'
import { type Operation, readOperations, readSecuritySchemes } from './document/read-operations.ts'
import { operationPage } from './operation-page.ts'
import { overviewPage, overviewTitle } from './overview-page.ts'
import {
  commonHeaders,
  createContext,
  type OperationGroup,
  overviewPath,
  type Reference,
  type ReferenceTools,
  schemasPath,
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

export type ApiReference = NonNullable<ReturnType<typeof renderApiReference>>

/**
 * The pages of an API reference under `reference/`, or undefined if the sources contain no OpenAPI document: a file
 * `openapi.yaml`, `.yml` or `.json` in any folder, else a YAML or JSON file at the root that says `openapi: 3…`.
 * `problems` do not stop the build. Throws DeployFailure with file and line if the document cannot be used.
 */
export function renderApiReference(
  sources: ReadonlyMap<string, Uint8Array>,
  tools: ReferenceTools,
): (ListedReference & { pages: Page[]; problems: DeployFailure[] }) | undefined {
  const document = readApiDocument(sources)
  if (document === undefined) return undefined
  const reference = readReference(document, tools)
  const { context, groups, operations } = reference
  const groupOf = new Map(
    groups.flatMap((group) => group.operations.map((operation) => [operation, group.title])),
  )
  const pages = [
    overviewPage(reference),
    ...operations.map((operation) => ({
      ...operationPage(operation, reference),
      group: groupOf.get(operation),
    })),
    ...schemaPages(reference),
  ]
  const schemas = [...context.schemaPages].map(([name, path]) => ({
    title: oneLine(name, 80),
    path,
  }))
  const all = { title: 'All schemas', path: schemasPath }
  const children: NavigationItem[] = [
    { title: 'Overview', path: overviewPath },
    ...reference.groups.map((group) => ({
      title: group.title,
      children: group.operations.map(operationItem),
    })),
    ...(schemas.length > 0 ? [{ title: 'Schemas', children: [all, ...schemas] }] : []),
  ]
  const problems = documentProblems(document, operations, reference.schemes)
  const keys = [navigationKey(overviewPath), navigationKey(document.path)]
  return { pages, item: { title: overviewTitle, children }, keys, problems }
}

function operationItem({ title, path, method, deprecation }: Operation): NavigationItem {
  return { title, path, badge: deprecation === undefined ? method : 'Deprecated' }
}

function readReference(document: ApiDocument, tools: ReferenceTools): Reference {
  const { tryIt } = tools
  const schemaPath = createPageNames('reference/schemas/', ['index'])
  const pagesOfSchemas = new Map(
    entriesField(document.root.components, 'schemas').map(([name]) => [name, schemaPath(name)]),
  )
  const context = createContext(document, pagesOfSchemas, tools)
  const operationPath = createPageNames('reference/', ['index', 'schemas'])
  const operations = readOperations(document, context.resolve, operationPath)
  const schemes = readSecuritySchemes(document, context.resolve)
  const groups = groupOperations(document, operations)
  if (tryIt) refuseOtherServer(tryIt, operations)
  return { context, operations, groups, schemes, tryIt, headers: commonHeaders(operations) }
}

/** Throws DeployFailure if no operation has the server. */
function refuseOtherServer(
  { server, ...place }: NonNullable<SiteSettings['tryIt']>,
  operations: Operation[],
): void {
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

/** By first tag, in the order in which the document names the tags; webhooks are a group of their own. */
function groupOperations(document: ApiDocument, operations: Operation[]): OperationGroup[] {
  const tags = new Map(
    listField(document.root, 'tags').flatMap((tag) => {
      const name = textField(tag, 'name')
      return name === undefined ? [] : [[name, tag] as const]
    }),
  )
  const [webhooks = [], requests = []] = [true, false].map((isWebhook) =>
    operations.filter((operation) => operation.isWebhook === isWebhook),
  )
  const byTag = Map.groupBy(requests, ({ tags: [tag] }) => tag)
  const untagged = byTag.get(undefined) ?? []
  byTag.delete(undefined)
  const groups = [...new Set([...tags.keys(), ...byTag.keys()])].map((name = '') => {
    const tag = tags.get(name)
    const title = textField(tag, 'x-displayName') ?? textField(tag, 'summary') ?? capital(name)
    const description = textField(tag, 'description')
    const members = byTag.get(name) ?? []
    return { title: oneLine(title, 80), description, operations: members }
  })
  const rest = byTag.size > 0 ? 'Other operations' : 'Operations'
  return [
    ...groups,
    { title: rest, description: undefined, operations: untagged },
    { title: 'Webhooks', description: undefined, operations: webhooks },
  ].filter((group) => group.operations.length > 0)
}
