// Compares a response with the OpenAPI document and with the expected result of its request.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { ApiDocument, Header } from './api-document.ts'
import { exactInteger, parseExact } from './exact-json.ts'
import { type FuzzRequest, findSentHeader } from './request.ts'
import type { FuzzResponse } from './send.ts'

/** Returns one line for each fault of the response. */
export type Judge = (request: FuzzRequest, response: FuzzResponse) => string[]

/** Headers of HTTP itself, which the document does not list. */
const transportHeaders = new Set([
  'connection',
  'content-length',
  'date',
  'keep-alive',
  'transfer-encoding',
])
export function createJudge(document: ApiDocument): Judge {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  ajv.addFormat('int64', { type: 'number', validate: (n: number) => Number.isInteger(n) })
  const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
  ajv.addFormat('date-time', { type: 'string', validate: (text: string) => instant.test(text) })
  ajv.addFormat('uri', { type: 'string', validate: (text: string) => URL.canParse(text) })
  ajv.addSchema({ ...document.json, $id: 'document' })
  const validators = new Map<string, ValidateFunction>()
  const check = (schema: object, value: unknown): string | undefined => {
    const text = JSON.stringify(schema).replaceAll('"#/', '"document#/')
    const validate = validators.get(text) ?? ajv.compile(JSON.parse(text))
    validators.set(text, validate)
    return validate(value) ? undefined : ajv.errorsText(validate.errors)
  }

  function judgeHeaders(response: FuzzResponse, documented: Record<string, Header>): string[] {
    const findings: string[] = []
    for (const [name, { required, schema }] of Object.entries(documented)) {
      const values = response.headers.get(name)
      if (!values && required) findings.push(`the header ${name} is missing`)
      if (!values) continue
      if (values.length > 1 && name !== 'link') findings.push(`the header ${name} is repeated`)
      const value = schema.type === 'integer' ? Number(values[0]) : values.join(', ')
      const wrong = check(schema, value)
      if (wrong) findings.push(`the header ${name}: ${values[0]}: ${wrong}`)
    }
    for (const name of response.headers.keys()) {
      if (!documented[name] && !transportHeaders.has(name) && name !== 'content-type') {
        findings.push(`the header ${name} is not documented`)
      }
    }
    return findings
  }

  function judgeBody(request: FuzzRequest, response: FuzzResponse, schema: object): string[] {
    const type = response.headers.get('content-type')?.join()
    const findings = type === 'application/json' ? [] : [`the Content-Type is ${type}`]
    if (request.method === 'HEAD') {
      return response.text === '' ? findings : [...findings, 'a HEAD has a body']
    }
    if (response.headers.get('content-length') === undefined) findings.push('no Content-Length')
    const exact = parseExact(response.text)
    if (exact === undefined) return [...findings, 'the body is not JSON']
    if (!isWithinInt64(exact)) findings.push('the body has a number outside int64')
    const wrong = check(schema, JSON.parse(response.text))
    return wrong ? [...findings, `the body: ${wrong}`] : findings
  }

  return (request, response) => {
    const { status, text } = response
    const { expected } = request
    const findings: string[] = []
    if (status >= 500) findings.push(`a ${status}`)
    if (status !== expected.status) findings.push(`the status is ${status}, not ${expected.status}`)
    const operation = document.operations.find(({ id }) => id === expected.operation)
    const documented = operation?.responses.get(status)
    if (!documented) return [...findings, `the status ${status} is not documented`]
    findings.push(...judgeHeaders(response, documented.headers))
    if (documented.schema) findings.push(...judgeBody(request, response, documented.schema))
    else if (text !== '') findings.push(`a ${status} has a body`)
    if (status >= 400 && request.method !== 'HEAD') {
      const error = parseExact(text) as Partial<ErrorBody> | undefined
      if (error?.status !== BigInt(status)) findings.push(`the body says status ${error?.status}`)
      if (status === expected.status && !expected.codes.includes(error?.code ?? '')) {
        findings.push(`the code is ${error?.code}, not ${expected.codes.join(' or ')}`)
      }
      for (const name of expected.names ?? []) {
        if (!error?.message?.includes(name)) findings.push(`the message does not name ${name}`)
      }
      const codesWithDetails = [
        'invalid_body',
        'invalid_parameter',
        'invalid_cursor',
        'malformed_json',
      ]
      if (codesWithDetails.includes(error?.code ?? '') && !error?.details?.length)
        findings.push('no details')
    }
    findings.push(...judgeRequestId(request, response))
    if (status >= 200 && status < 300 && status === expected.status) {
      findings.push(...judgeReplay(request, response))
      if (text !== '') findings.push(...judgeContent(request, response))
    }
    return findings
  }
}

function isWithinInt64(value: unknown): boolean {
  if (typeof value === 'bigint') return BigInt.asIntN(64, value) === value
  if (typeof value !== 'object' || value === null) return true
  return Object.values(value).every(isWithinInt64)
}

/** A valid X-Request-Id is returned, an invalid one is replaced. */
function judgeRequestId(request: FuzzRequest, response: FuzzResponse): string[] {
  const sent = findSentHeader(request, 'x-request-id')
  const [returned = ''] = response.headers.get('x-request-id') ?? []
  if (returned === '') return ['no X-Request-Id']
  if (sent === undefined) return []
  const isValid = /^[\w.:-]{1,128}$/.test(sent)
  return isValid === (returned === sent)
    ? []
    : [`the X-Request-Id ${sent} was returned as ${returned}`]
}

interface ErrorBody {
  code: string
  message: string
  status: bigint
  details: unknown[]
}

/** A replay has the same body and Idempotent-Replayed; other responses do not have that header. */
function judgeReplay({ expected, method }: FuzzRequest, response: FuzzResponse): string[] {
  if (method === 'GET' || method === 'HEAD') return []
  const isReplay = expected.replayed !== undefined
  const hasHeader = response.headers.has('idempotent-replayed')
  return [
    ...(hasHeader === isReplay ? [] : ['Idempotent-Replayed is missing or unexpected']),
    ...(isReplay && response.text !== expected.replayed
      ? [`the replay differs from ${expected.replayed}`]
      : []),
  ]
}

interface ListedRecord {
  id: bigint
  status: string
  petId?: bigint
  categoryId?: bigint
}

/** The values: a write returns what was sent, a list has what was requested. */
function judgeContent(request: FuzzRequest, response: FuzzResponse): string[] {
  const body = parseExact(response.text)
  if (body === undefined) return []
  const findings = request.expected.check?.(body) ?? []
  const [path, query = ''] = request.target.split('?')
  if (response.status === 201) {
    const location = response.headers.get('location')?.[0] ?? ''
    const expectedEnd = `/v1${path}/${(body as ListedRecord).id}`
    if (!location.endsWith(expectedEnd)) findings.push(`the Location is ${location}`)
  }
  if (!Array.isArray(body)) return findings
  return [...findings, ...judgePage(new URLSearchParams(query), body, response, request)]
}

function judgePage(
  query: URLSearchParams,
  records: ListedRecord[],
  response: FuzzResponse,
  request: FuzzRequest,
): string[] {
  const findings: string[] = []
  const limit = Number(query.get('limit') ?? 20)
  if (records.length > limit)
    findings.push(`${records.length} records, more than the limit of ${limit}`)
  const status = query.get('status')
  if (status && records.some((one) => (one.status ?? status) !== status)) {
    findings.push('a record does not match the status filter')
  }
  const ids = query.get('id')?.split(',').map(exactInteger)
  if (ids && records.some(({ id }) => !ids.includes(id)))
    findings.push('a record does not match the id filter')
  for (const name of ['petId', 'categoryId'] as const) {
    const value = exactInteger(query.get(name) ?? '')
    if (value !== undefined && records.some((one) => (one[name] ?? value) !== value))
      findings.push(`a record does not match the ${name} filter`)
  }
  const isAscending = records.every(
    ({ id }, at) => at === 0 || id > (records[at - 1] as ListedRecord).id,
  )
  if (!isAscending) findings.push('the records are not sorted by id')
  const isCounted = response.headers.has('x-total-count')
  const isCountRequested = /count=exact/i.test(findSentHeader(request, 'prefer') ?? '')
  if (isCounted !== isCountRequested) {
    findings.push('X-Total-Count is missing or unexpected')
  }
  return findings
}
