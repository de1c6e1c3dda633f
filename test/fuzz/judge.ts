// Holds an answer against the OpenAPI document and against what the request deserved.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { ApiDocument, DocumentedAnswer, Header } from './api-document.ts'
import { exactInteger, parseExact } from './exact-json.ts'
import { type FuzzRequest, sentField } from './request.ts'
import type { FuzzAnswer } from './send.ts'

/** Gives one line for each thing that is not as it should be. */
export type Judge = (request: FuzzRequest, answer: FuzzAnswer) => string[]

/** What HTTP itself adds; no document lists it. */
const ofTransport = new Set([
  'connection',
  'content-length',
  'date',
  'keep-alive',
  'transfer-encoding',
])
/** What an answer may have that is for no operation. */
const elsewhere = [
  'allow',
  'vary',
  'www-authenticate',
  'access-control-allow-origin',
  'access-control-expose-headers',
  'access-control-allow-methods',
  'access-control-allow-headers',
  'access-control-max-age',
  'x-request-id',
  'x-content-type-options',
  'cache-control',
]

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
  const errorSchema = { $ref: '#/components/schemas/Error' }

  function judgeHeaders(answer: FuzzAnswer, documented: Record<string, Header>): string[] {
    const findings: string[] = []
    for (const [name, { required, schema }] of Object.entries(documented)) {
      const values = answer.headers.get(name)
      if (!values && required) findings.push(`the header ${name} is missing`)
      if (!values) continue
      if (values.length > 1 && name !== 'link') findings.push(`the header ${name} is there twice`)
      const value = schema.type === 'integer' ? Number(values[0]) : values.join(', ')
      const wrong = check(schema, value)
      if (wrong) findings.push(`the header ${name}: ${values[0]}: ${wrong}`)
    }
    for (const name of answer.headers.keys()) {
      if (!documented[name] && !ofTransport.has(name) && name !== 'content-type') {
        findings.push(`the header ${name} is not documented`)
      }
    }
    return findings
  }

  function judgeBody(request: FuzzRequest, answer: FuzzAnswer, schema: object): string[] {
    const type = answer.headers.get('content-type')?.join()
    const findings = type === 'application/json' ? [] : [`the Content-Type is ${type}`]
    if (request.method === 'HEAD') {
      return answer.text === '' ? findings : [...findings, 'a HEAD has a body']
    }
    if (answer.headers.get('content-length') === undefined) findings.push('no Content-Length')
    const exact = parseExact(answer.text)
    if (exact === undefined) return [...findings, 'the body is no JSON']
    if (!isWithinInt64(exact)) findings.push('the body has a number that is no int64')
    const wrong = check(schema, JSON.parse(answer.text))
    return wrong ? [...findings, `the body: ${wrong}`] : findings
  }

  function documentedAnswer(request: FuzzRequest, status: number): DocumentedAnswer | undefined {
    const operation = document.operations.find(({ id }) => id === request.expected.operation)
    if (operation) return operation.answers.get(status)
    const headers = Object.fromEntries(elsewhere.map((name) => [name, { schema: {} }]))
    return status === 204 ? { headers } : { headers, schema: errorSchema }
  }

  return (request, answer) => {
    const { status, text, headers } = answer
    const { expected } = request
    const findings: string[] = []
    if (status >= 500) findings.push(`a ${status}`)
    if (status !== expected.status) findings.push(`the status is ${status}, not ${expected.status}`)
    const documented = documentedAnswer(request, status)
    if (!documented) return [...findings, `the status ${status} is not documented`]
    findings.push(...judgeHeaders(answer, documented.headers))
    if (documented.schema) findings.push(...judgeBody(request, answer, documented.schema))
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
      const tells = ['invalid_body', 'invalid_parameter', 'invalid_cursor', 'malformed_json']
      if (tells.includes(error?.code ?? '') && !error?.details?.length) findings.push('no details')
    }
    findings.push(...judgeRequestId(request, answer))
    if (request.method === 'OPTIONS' || status === 405) {
      const allowed = headers.get('allow')?.join()
      const wanted = allowOf(document, request.target)
      if (allowed !== wanted) findings.push(`Allow is ${allowed}, not ${wanted}`)
    }
    if (status >= 200 && status < 300 && status === expected.status) {
      findings.push(...judgeReplay(request, answer))
      if (text !== '') findings.push(...judgeContent(request, answer))
    }
    return findings
  }
}

function isWithinInt64(value: unknown): boolean {
  if (typeof value === 'bigint') return BigInt.asIntN(64, value) === value
  if (typeof value !== 'object' || value === null) return true
  return Object.values(value).every(isWithinInt64)
}

/** One that is of the documented form comes back; another is replaced. */
function judgeRequestId(request: FuzzRequest, answer: FuzzAnswer): string[] {
  const sent = sentField(request, 'x-request-id')
  const [given = ''] = answer.headers.get('x-request-id') ?? []
  if (given === '') return ['no X-Request-Id']
  if (sent === undefined) return []
  const isFit = /^[\w.:-]{1,128}$/.test(sent)
  return isFit === (given === sent) ? [] : [`the X-Request-Id ${sent} came back as ${given}`]
}

/** The methods that the document has for a path, with HEAD and OPTIONS. */
function allowOf(document: ApiDocument, target: string): string {
  const methods = document.at(target).map(({ method }) => method)
  const head = methods.includes('GET') ? ['HEAD'] : []
  return [...methods, ...head, 'OPTIONS'].sort().join(', ')
}

interface ErrorBody {
  code: string
  message: string
  status: bigint
  details: unknown[]
}

/** A replay is the same again, and says so; nothing else does. */
function judgeReplay({ expected, method }: FuzzRequest, answer: FuzzAnswer): string[] {
  if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return []
  const isReplay = expected.replayed !== undefined
  const isSaid = answer.headers.has('idempotent-replayed')
  return [
    ...(isSaid === isReplay ? [] : ['Idempotent-Replayed, or none']),
    ...(isReplay && answer.text !== expected.replayed
      ? [`not the same again: ${expected.replayed}`]
      : []),
  ]
}

interface ListedRecord {
  id: bigint
  status: string
  petId?: bigint
}

/** Beyond its form: what was written is what was sent, what is listed is what was asked for. */
function judgeContent(request: FuzzRequest, answer: FuzzAnswer): string[] {
  const body = parseExact(answer.text)
  if (body === undefined) return []
  const findings = request.expected.check?.(body) ?? []
  const [path, query = ''] = request.target.split('?')
  if (answer.status === 201) {
    const location = answer.headers.get('location')?.[0] ?? ''
    const wanted = `/v1${path}/${(body as ListedRecord).id}`
    if (!location.endsWith(wanted)) findings.push(`the Location is ${location}`)
  }
  if (!Array.isArray(body)) return findings
  return [...findings, ...judgePage(new URLSearchParams(query), body, answer, request)]
}

function judgePage(
  query: URLSearchParams,
  records: ListedRecord[],
  answer: FuzzAnswer,
  request: FuzzRequest,
): string[] {
  const findings: string[] = []
  const limit = Number(query.get('limit') ?? 20)
  if (records.length > limit) findings.push(`${records.length} records, over the limit of ${limit}`)
  const status = query.get('status')
  if (status && records.some((one) => (one.status ?? status) !== status)) {
    findings.push('the filter by status')
  }
  const ids = query.get('id')?.split(',').map(exactInteger)
  if (ids && records.some(({ id }) => !ids.includes(id))) findings.push('the filter by id')
  const petId = exactInteger(query.get('petId') ?? '')
  if (petId !== undefined && records.some((one) => (one.petId ?? petId) !== petId)) {
    findings.push('the filter by petId')
  }
  const isAscending = records.every(
    ({ id }, at) => at === 0 || id > (records[at - 1] as ListedRecord).id,
  )
  if (!isAscending) findings.push('the records are not by ascending id')
  const isCounted = answer.headers.has('x-total-count')
  const wantsCount = /count=exact/i.test(sentField(request, 'prefer') ?? '')
  if (isCounted !== wantsCount) findings.push('the count, or none')
  return findings
}
