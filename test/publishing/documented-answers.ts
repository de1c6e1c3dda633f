// Compares responses of the management API with its OpenAPI document: the status and the error code are declared for
// the operation, and the body matches the schema.
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Answer } from '../running-store.ts'

interface Response {
  description: string
  content?: Record<string, { schema: object }>
}

interface Described {
  operationId: string
  responses: Record<string, Response | { $ref: string }>
}

interface Documented {
  paths: Record<string, Record<string, Described>>
  components: { responses: Record<string, Response> }
}

/** Compiled schemas, shared by all tests with the same document. */
const schemas = new Map<string, Ajv2020>()

function schemasOf(document: object): Ajv2020 {
  const { servers: _, ...described } = document as { servers?: unknown }
  const text = JSON.stringify(described)
  const known = schemas.get(text)
  if (known) return known
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
  ajv.addSchema(described, 'document')
  schemas.set(text, ajv)
  return ajv
}

export function documentedAnswers(document: object) {
  const { components, paths } = document as Documented
  const shared = '#/components/responses/'
  const resolve = (response: Response | { $ref: string }): Response =>
    '$ref' in response
      ? (components.responses[response.$ref.slice(shared.length)] as Response)
      : response
  const ajv = schemasOf(document)
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      described,
      method: method.toUpperCase(),
      pointer: `/paths/${path.replaceAll('~', '~0').replaceAll('/', '~1')}/${method}`,
      pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    })),
  )
  const seen = new Map<string, Set<string>>()

  function find(method: string, path: string) {
    const [pathname = ''] = path.split('?')
    // A malformed path matches no operation.
    if (/%(?![0-7])/.test(pathname)) return undefined
    return operations.find((one) => one.method === method && one.pattern.test(pathname))
  }

  return {
    /** The error codes returned so far, by operationId. */
    seen,
    /** All error codes that the document declares for an operation. */
    codesOf(operationId: string): string[] {
      const found = operations.find(({ described }) => described.operationId === operationId)
      const texts = Object.values(found?.described.responses ?? {}).map(
        (one) => resolve(one).description,
      )
      return texts.flatMap((text) =>
        [...text.matchAll(/^- `(\w+)`:/gm)].map(([, code = '']) => code),
      )
    },
    /** Throws unless the response matches the document. `path` is below `/api`. */
    check(method: string, path: string, { headers, json, status, text }: Answer) {
      const found = find(method, path)
      // Paths without an operation are not described.
      if (!found) return
      const { described, pointer } = found
      const { operationId, responses } = described
      const declared = responses[status]
      const response = declared && resolve(declared)
      const fail = (what: string): never => {
        throw new Error(`${operationId} answered ${status}, ${what}: ${text.slice(0, 500)}`)
      }
      if (!response) return fail('which is not documented')
      if (headers['cache-control'] !== 'no-store') fail('which may be cached')
      if (!response.content) return text === '' ? undefined : fail('which has no body')
      const type = headers['content-type'] ?? ''
      if (!Object.hasOwn(response.content, type)) fail(`as ${type}`)
      if (type !== 'application/json') return
      const place =
        declared && '$ref' in declared
          ? declared.$ref.slice(1)
          : `${encodeURI(pointer)}/responses/${status}`
      const at = `document#${place}/content/application~1json/schema`
      const validate = ajv.getSchema(at)
      if (!validate) throw new Error(`no schema at ${at}`)
      if (!validate(json)) fail(ajv.errorsText(validate.errors))
      if (status < 400) return
      const { code, status: said } = json as { code: string; status: number }
      if (said !== status) fail('and its body has another status')
      if (!response.description.includes(`\`${code}\``)) fail(`whose ${code} is not documented`)
      const codes = seen.get(operationId) ?? new Set()
      seen.set(operationId, codes.add(code))
    },
  }
}
