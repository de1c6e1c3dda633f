// A request as the fuzzer sends it, and what has to become of it.

export type EnvironmentName = 'production' | 'staging'

export interface FuzzRequest {
  environment: EnvironmentName
  method: string
  /** Below the base address. */
  target: string
  /** Names and values in turn, without Host and what frames the body. */
  headers: string[]
  body?: Uint8Array
  isChunked: boolean
  expected: Expectation
}

export interface Expectation {
  /** Undefined where the request is for none. */
  operation: string | undefined
  status: number
  /** The codes that an Error body may have; none for a success. */
  codes: string[]
  /** What the message of an error has to name. */
  names?: string[]
  /** One line for each thing that is wrong with the body of a success. */
  check?(body: unknown): string[]
  /** Text that has to come again, as that of an earlier answer to the same Idempotency-Key. */
  replayed?: string
}

/** One thing that is wrong with a request. */
export interface Fault {
  status: number
  codes: string[]
  /** It is only found out once everything else is right. */
  isLate?: true
}

/** What is wrong is said in this order; what is no HTTP at all is refused by the parser. */
const order = [401, 404, 405, 403, 406, 415, 413, 400]
function rank({ status, codes, isLate }: Fault): number {
  if (codes.includes('invalid_request')) return -1
  return isLate ? order.length : order.indexOf(status)
}

/** The first of several faults: its status, and the codes of all that share its place. */
export function firstFault(faults: Fault[]): Fault | undefined {
  const first = Math.min(...faults.map(rank))
  const shared = faults.filter((fault) => rank(fault) === first)
  const [found] = shared
  return (
    found && { status: found.status, codes: [...new Set(shared.flatMap(({ codes }) => codes))] }
  )
}

/** What was sent in a field; the name in lower case. */
export function sentField(request: FuzzRequest, name: string): string | undefined {
  const at = request.headers.findIndex((one, i) => i % 2 === 0 && one.toLowerCase() === name)
  return at < 0 ? undefined : request.headers[at + 1]
}

/** As one would type it. */
export function showRequest(request: FuzzRequest): string {
  const { body, headers, method, target, environment } = request
  const lines = [`${method} ${target} (${environment})`]
  for (let i = 0; i < headers.length; i += 2) lines.push(`${headers[i]}: ${headers[i + 1]}`)
  if (body) {
    const text = Buffer.from(body).toString()
    const shown = text.length > 400 ? `${text.slice(0, 400)}… (${body.length} bytes)` : text
    lines.push('', `${JSON.stringify(shown)}${request.isChunked ? ' (chunked)' : ''}`)
  }
  return lines.map((line) => `    ${line}`).join('\n')
}
