// Finds the OpenAPI documents among the sources and reads them, each of them joined of its files and, if it is Swagger 2.0,
// converted. A file that another document refers to is no document of its own, nor is a copy in another form or language.

import { DeployFailure } from '../../site-files/site-file.ts'
import { isHidden } from '../../sources/addresses.ts'
import { convertSwagger } from './convert-swagger.ts'
import { entriesField, type Fields, fieldsOf, isFields, textField } from './document-values.ts'
import { joinFiles } from './join-files.ts'
import { type ParsedFile, parseFile } from './parse-file.ts'

/** `path` is that of its source. */
export interface ApiDocument extends Pick<ParsedFile, 'path' | 'length' | 'fault' | 'refFault'> {
  /** Whether its errors stop the build. */
  isMain: boolean
  root: Fields
  /** The other files that it is made of. */
  parts: ReadonlySet<string>
}

const maxDocuments = 30
const maxSchemas = 10_000
const knownName = /(^|\/)(openapi|swagger)\.(yaml|yml|json)$/i
const mainName = /(^|\/)openapi\.(yaml|yml|json)$|^[^/]*$/i
const anyName = /\.(yaml|yml|json)$/i
const yamlKey = /^["']?(?:openapi|swagger)["']?[ \t]*:[ \t]*["']?[23]/m
const jsonKey = /"(?:openapi|swagger)"\s*:\s*"[23]/

/**
 * The documents. The first is the main one, if it is a file with the usual name or at the root: a DeployFailure is thrown if it
 * cannot be read. `problems` are those of others.
 */
export function readApiDocuments(sources: ReadonlyMap<string, Uint8Array>) {
  const documents: ApiDocument[] = []
  const problems: DeployFailure[] = []
  for (const [index, path] of findCandidates(sources).entries()) {
    const isMain = index === 0 && mainName.test(path)
    try {
      documents.push(...readDocument(path, sources, isMain))
    } catch (error) {
      if (!(error instanceof DeployFailure) || isMain) throw error
      problems.push(error)
    }
  }
  const parts = new Set(documents.flatMap((document) => [...document.parts]))
  const byIdentity = Map.groupBy(
    documents.filter(({ path }) => !parts.has(path)),
    identityOf,
  )
  const whole = [...byIdentity.values()].flatMap(([first]) => first ?? [])
  for (const { fault } of whole.slice(maxDocuments)) {
    problems.push(
      fault(`The site has more than ${maxDocuments} OpenAPI documents. This one is not rendered.`),
    )
  }
  return { documents: whole.slice(0, maxDocuments), problems }
}

/** Copies have the same name of the file, version and routes. */
function identityOf({ path, root: { info, paths } }: ApiDocument): string {
  const name = /([^/]*)\.\w+$/.exec(path)?.[1]
  return JSON.stringify([name, textField(info, 'version'), Object.keys(fieldsOf(paths)).sort()])
}

/** Files with a usual name first, then by their depth. */
function findCandidates(sources: ReadonlyMap<string, Uint8Array>): string[] {
  const rank = (path: string) => path.split('/').length + (knownName.test(path) ? 0 : 1_000)
  return [...sources]
    .filter(([path]) => anyName.test(path) && !isHidden(path))
    .filter(([path, content]) => knownName.test(path) || saysOpenApi(content))
    .map(([path]) => path)
    .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
}

function saysOpenApi(content: Uint8Array): boolean {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.length)
  if (!bytes.includes('openapi') && !bytes.includes('swagger')) return false
  const text = bytes.toString('latin1')
  return yamlKey.test(text) || (/^\W*[{]/.test(text) && jsonKey.test(text))
}

/** None if it is another kind of file: one without a usual name, and without version or paths. */
function readDocument(
  path: string,
  sources: ReadonlyMap<string, Uint8Array>,
  isMain: boolean,
): ApiDocument[] {
  const main = parseFile(path, sources.get(path) as Uint8Array)
  const { fault, value, writtenNumber } = main
  const version = textField(value, 'openapi') ?? textField(value, 'swagger') ?? ''
  const { info, paths, webhooks } = fieldsOf(value)
  const isDocument = /^[23]/.test(version) && (isFields(paths) || isFields(webhooks))
  if (!knownName.test(path) && !isDocument) return []
  const parts = joinFiles(main, sources)
  if (!isFields(value)) {
    throw fault('An OpenAPI document is an object with the fields openapi, info and paths.')
  }
  if (isFields(info) && typeof info.version === 'number') {
    // Such as 1.10, which is not the number 1.1.
    info.version = writtenNumber('info', 'version') ?? String(info.version)
  }
  const isSwagger = /^2(\.|$)/.test(textField(value, 'swagger') ?? '')
  const document = { ...main, isMain, parts, root: isSwagger ? convertSwagger(value) : value }
  check(document)
  return [document]
}

function check({ root, fault }: ApiDocument): void {
  const version = textField(root, 'openapi')
  if (version === undefined) {
    throw fault('The field openapi is missing. It names the version, such as openapi: 3.1.0.')
  }
  if (!/^3(\.|$)/.test(version)) {
    const message = 'Only OpenAPI 3 and Swagger 2.0 are rendered: openapi has to be 3.0 or 3.1.'
    throw fault(message, 'openapi')
  }
  const objects = ['paths', 'webhooks', 'components', 'info']
  const wrong = objects.find((name) => !isFields(root[name] ?? {}))
  if (wrong !== undefined) throw fault(`The field ${wrong} has to be an object.`, wrong)
  if (!isFields(root.paths) && !isFields(root.webhooks)) {
    throw fault('The field paths is missing, so there is nothing to render. Add paths.', 'paths')
  }
  if (entriesField(root.components, 'schemas').length > maxSchemas) {
    throw fault('There are more than 10,000 schemas.', 'components', 'schemas')
  }
}
