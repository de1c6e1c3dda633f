// The OpenAPI document of an API as ready bytes, in JSON and YAML, generated when it is first read.
import { stringify } from 'yaml'
import { type ReadyAnswer, readyAnswer } from '../http/response/ready-response.ts'

export interface Document {
  mediaType: string
  ready: () => ReadyAnswer
}

/** The OpenAPI document in both forms, made when it is first read. */
export function createDocuments(document: () => object): ReadonlyMap<string, Document> {
  const once = (mediaType: string, write: (document: object) => string): Document => {
    let ready: ReadyAnswer | undefined
    return {
      mediaType,
      ready: () => {
        ready ??= readyAnswer(write(document()), mediaType, [])
        return ready
      },
    }
  }
  return new Map([
    ['/openapi.json', once('application/json', (found) => JSON.stringify(found))],
    ['/openapi.yaml', once('application/yaml', writeYaml)],
  ])
}

/** An OpenAPI document as it is committed. */
export function writeYaml(document: object): string {
  return stringify(document, {
    aliasDuplicateObjects: false,
    blockQuote: 'literal',
    lineWidth: 100,
  })
}
