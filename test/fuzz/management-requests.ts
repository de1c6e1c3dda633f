// Random requests to the management API, from its OpenAPI document: mostly of its shapes, often with a value that it
// forbids, sometimes no operation at all.
import type { Random } from '../random.ts'
import type { ApiDocument, Operation, Schema } from './api-document.ts'
import type { FuzzRequest } from './request.ts'

/** Values that are in use, so that requests reach what exists. */
export interface Known {
  /** By the name of a parameter or property. */
  values: Record<string, string[]>
  credentials: string[][]
}

const oddTexts = [
  ...['', ' ', '\u0000', '..', '../..', '%', '%00', '%2e%2e%2f', 'é', '\u202e', '\ud83d\ude00'],
  ...['null', '-1', '1e400', '9223372036854775808', '__proto__', 'constructor', "' or 1=1 --"],
  ...['<script>', 'x'.repeat(300), 'x'.repeat(5000), 'a.example', '*.example', 'xn--a', '[::1]'],
  ...['http://127.0.0.1:9/', 'https://a.invalid/', 'javascript:alert(1)', 'olga@example.com'],
]
const oddValues: unknown[] = [
  ...[null, true, 0, -1, 1.5, 2 ** 53, [], {}, [[[[]]]], [null], { __proto__x: 1 }],
  ...oddTexts,
]
const mediaTypes = [
  ...['application/json', 'application/json; charset=utf-8', 'text/plain', 'application/zip'],
  ...['application/octet-stream', 'application/merge-patch+json', 'multipart/form-data', '', ';'],
]

/** Gives the function that makes the next request. */
export function managementRequests(document: ApiDocument, known: Known, random: Random) {
  function textFor(name: string): string {
    const values = known.values[name] ?? []
    return values.length > 0 && random.chance(0.8) ? random.pick(values) : random.pick(oddTexts)
  }

  function valueFor(given: Schema, name: string, depth: number): unknown {
    if (depth > 6 || random.chance(0.06)) return random.pick(oddValues)
    const schema = document.resolve(given)
    if (schema.const !== undefined) return schema.const
    if (schema.enum) return random.pick(schema.enum)
    if (schema.anyOf) return valueFor(random.pick(schema.anyOf), name, depth + 1)
    switch (schema.type) {
      case 'object': {
        const entries = Object.entries(schema.properties ?? {}).filter(
          ([key]) => schema.required?.includes(key) !== !random.chance(0.9),
        )
        const object = entries.map(([key, of]) => [key, valueFor(of, key, depth + 1)])
        if (random.chance(0.05)) object.push([random.pick(oddTexts), random.pick(oddValues)])
        return Object.fromEntries(object)
      }
      case 'array':
        return Array.from({ length: random.below(4) }, () =>
          valueFor(schema.items ?? {}, name, depth + 1),
        )
      case 'integer':
      case 'number':
        return random.pick([0, 1, 2, 10, 100, -1, 1e9, 2 ** 53, 1.5])
      case 'boolean':
        return random.chance(0.5)
      default:
        return textFor(name)
    }
  }

  function bodyOf({ bodies }: Operation): Buffer | undefined {
    if (bodies.size === 0) return random.chance(0.02) ? Buffer.from('{}') : undefined
    if (random.chance(0.03)) return undefined
    const schema = bodies.get('application/json')
    if (!schema || random.chance(0.03)) return randomBytes()
    const text = JSON.stringify(valueFor(schema, '', 0)) ?? 'null'
    return random.chance(0.04) ? damaged(Buffer.from(text)) : Buffer.from(text)
  }

  function randomBytes(): Buffer {
    const starts = ['PK\u0003\u0004', '\u001f\u008b\u0008', '{"a":', '[', '"', '\ufeff{}']
    const rest = Buffer.from(Array.from({ length: random.below(200) }, () => random.below(256)))
    return Buffer.concat([Buffer.from(random.pick(starts), 'latin1'), rest])
  }

  function damaged(bytes: Buffer): Buffer {
    if (random.chance(0.5)) return bytes.subarray(0, random.below(bytes.length + 1))
    const copy = Buffer.from(bytes)
    if (copy.length > 0) copy[random.below(copy.length)] = random.below(256)
    return copy
  }

  function queryOf({ parameters }: Operation): string {
    const given = parameters.filter((each) => each.in === 'query' && random.chance(0.4))
    const pairs = given.map(({ name, schema }) => [name, String(valueFor(schema, name, 3))])
    if (random.chance(0.03)) pairs.push([random.pick(oddTexts), random.pick(oddTexts)])
    const encoded = pairs.map((pair) => pair.map((text = '') => encode(text)).join('='))
    return encoded.length > 0 ? `?${encoded.join('&')}` : ''
  }

  /** Percent-encoded, or now and then as it is where HTTP allows it. */
  function encode(text: string): string {
    if (random.chance(0.1) && /^[!-~]+$/.test(text) && !/[#?]/.test(text)) return text
    return encodeURIComponent(text.toWellFormed())
  }

  return (): FuzzRequest => {
    const operation = random.pick(document.operations)
    const method = random.chance(0.03) ? random.pick(['PUT', 'HEAD', 'OPTIONS']) : operation.method
    const filled = operation.path.replaceAll(/\{(\w+)\}/g, (_, name) => encode(textFor(name)))
    const path = random.chance(0.02) ? `/${encode(random.pick(oddTexts))}` : filled
    const body = method === 'HEAD' ? undefined : bodyOf(operation)
    const types = [...operation.bodies.keys()]
    const type = random.chance(0.95) && types.length > 0 ? types[0] : random.pick(mediaTypes)
    const headers = [...random.pick(known.credentials)]
    if (body) headers.push('content-type', type ?? '')
    if (random.chance(0.05))
      headers.push('accept', random.pick(['text/html', '*/*', 'a/b', ';q=2']))
    if (random.chance(0.03)) headers.push('origin', random.pick(['null', 'https://a.example']))
    if (random.chance(0.03)) headers.push('if-none-match', random.pick(['*', '"a"', 'W/"', 'x']))
    if (random.chance(0.03)) headers.push('idempotency-key', 'x'.repeat(random.below(300) + 1))
    const target = path + queryOf(operation)
    const expected = { operation: operation.id, status: 200, codes: [] }
    const sent = { environment: 'production', method, target, headers, isChunked: false } as const
    return { ...sent, expected, ...(body && { body }) }
  }
}
