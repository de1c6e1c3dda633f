// Finds the OpenAPI documents among the sources and reads them, each of them joined of its files and, if it is Swagger 2.0,
// converted. A file that another document refers to is no document of its own, nor is a copy in another form or language.

import { DeployFailure } from '../../site-files/site-file.ts'
import { isHidden } from '../../sources/addresses.ts'
import { convertSwagger } from './convert-swagger.ts'
import {
  entriesField,
  type Fields,
  fieldOf,
  fieldsOf,
  isFields,
  textField,
} from './document-values.ts'
import { joinFiles, maxDocumentBytes } from './join-files.ts'
import { type ParsedFile, parseFile } from './parse-file.ts'

/** `path` is that of its source. */
export interface ApiDocument extends Pick<ParsedFile, 'path' | 'fault' | 'refFault'> {
  /** Whether its errors stop the build. */
  isMain: boolean
  root: Fields
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
export function readApiDocuments(sources: ReadonlyMap<string, Uint8Array>): {
  documents: ApiDocument[]
  problems: DeployFailure[]
} {
  const documents = new Map<string, ApiDocument>()
  const problems: DeployFailure[] = []
  const parts = new Set<string>()
  const copies = new Set<string>()
  const paths = findCandidates(sources)
  const isMain = (path: string) => path === paths[0] && mainName.test(path)
  for (const path of paths) {
    try {
      const read = readDocument(path, sources, isMain(path))
      if (read === undefined) continue
      for (const file of read.files) parts.add(file)
      documents.set(path, read.document)
    } catch (error) {
      if (!(error instanceof DeployFailure) || isMain(path)) throw error
      problems.push(error)
    }
  }
  const whole = [...documents.values()].filter((document) => {
    const { info, paths } = document.root
    const routes = Object.keys(fieldsOf(paths)).sort()
    const name = /([^/]*)\.\w+$/.exec(document.path)?.[1]
    const identity = JSON.stringify([name, textField(info, 'version'), routes])
    const isOwn = !parts.has(document.path) && !copies.has(identity)
    copies.add(identity)
    return isOwn
  })
  for (const { fault } of whole.slice(maxDocuments)) {
    problems.push(
      fault(`The site has more than ${maxDocuments} OpenAPI documents. This one is not rendered.`),
    )
  }
  return { documents: whole.slice(0, maxDocuments), problems }
}

function findCandidates(sources: ReadonlyMap<string, Uint8Array>): string[] {
  const depth = (path: string) => path.split('/').length
  const paths = [...sources.keys()]
    .filter((path) => anyName.test(path) && !isHidden(path))
    .filter((path) => knownName.test(path) || saysOpenApi(sources.get(path)))
  const rank = (path: string) => depth(path) + (knownName.test(path) ? 0 : 1_000)
  return paths.sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
}

function saysOpenApi(content: Uint8Array | undefined): boolean {
  if (content === undefined) return false
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.length)
  if (!bytes.includes('openapi') && !bytes.includes('swagger')) return false
  const text = bytes.toString('latin1')
  return yamlKey.test(text) || (/^\W*[{]/.test(text) && jsonKey.test(text))
}

/** Undefined if it is another kind of file: one without a usual name, and without version or paths. */
function readDocument(path: string, sources: ReadonlyMap<string, Uint8Array>, isMain: boolean) {
  const bytes = sources.get(path) as Uint8Array
  if (bytes.length > maxDocumentBytes) {
    const message = 'An OpenAPI document may have at most 50 MB. Split it by its audience.'
    throw new DeployFailure(message, { file: path })
  }
  const main = parseFile(path, bytes)
  const { value } = main
  const hasVersion = /^[23]/.test(textField(value, 'openapi') ?? textField(value, 'swagger') ?? '')
  const hasPaths = isFields(fieldOf(value, 'paths')) || isFields(fieldOf(value, 'webhooks'))
  if (!knownName.test(path) && !(hasVersion && hasPaths)) return undefined
  const files = joinFiles(main, sources)
  return { files, document: documentOf(main, isMain) }
}

function documentOf(main: ParsedFile, isMain: boolean): ApiDocument {
  const { value, fault } = main
  if (!isFields(value)) {
    throw fault('An OpenAPI document is an object with the fields openapi, info and paths.')
  }
  keepVersionAsWritten(value, main)
  const isSwagger = /^2(\.|$)/.test(textField(value, 'swagger') ?? '')
  const document = { ...main, isMain, root: isSwagger ? convertSwagger(value) : value }
  check(document)
  return document
}

function check({ root, fault }: ApiDocument): void {
  const version = textField(root, 'openapi')
  if (version === undefined) {
    throw fault('The field openapi is missing. It names the version, such as openapi: 3.1.0.')
  }
  if (!/^3(\.|$)/.test(version)) {
    throw fault(
      'Only OpenAPI 3 and Swagger 2.0 are rendered: openapi has to be 3.0 or 3.1.',
      'openapi',
    )
  }
  for (const name of ['paths', 'webhooks', 'components', 'info']) {
    const value = fieldOf(root, name)
    if (value !== undefined && value !== null && !isFields(value)) {
      throw fault(`The field ${name} has to be an object.`, name)
    }
  }
  if (!isFields(root.paths) && !isFields(root.webhooks)) {
    throw fault('The field paths is missing, so there is nothing to render. Add paths.', 'paths')
  }
  if (entriesField(root.components, 'schemas').length > maxSchemas) {
    throw fault('There are more than 10,000 schemas.', 'components', 'schemas')
  }
}

/** `version: 1.0` is kept as written, not as the number 1. */
function keepVersionAsWritten({ info }: Fields, { writtenNumber }: ParsedFile): void {
  if (!isFields(info) || typeof fieldOf(info, 'version') !== 'number') return
  info.version = writtenNumber?.('info', 'version') ?? String(info.version)
}
