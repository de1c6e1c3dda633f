// A request of the fuzzer and its expected response.

export type EnvironmentName = 'production' | 'staging'

export interface FuzzRequest {
  environment: EnvironmentName
  method: string
  /** Path and query below the base URL. */
  target: string
  /** Name, value, name, value; without Host, Content-Length and Transfer-Encoding. */
  headers: string[]
  body?: Uint8Array
  isChunked: boolean
  expected: Expectation
}

export interface Expectation {
  operation: string
  status: number
  /** The possible codes of an error; empty for a success. */
  codes: string[]
  /** Texts that the message of an error must contain. */
  names?: string[]
  /** Returns one line for each fault in the body of a success. */
  check?(body: unknown): string[]
  /** The text of an earlier response to the same Idempotency-Key, which must be returned again. */
  replayed?: string
}

/** A fault of a request, with the status and the possible codes of the response. */
export interface Fault {
  status: number
  codes: string[]
}

/** The server checks in this order. */
const statusOrder = [401, 406, 415, 400]
const rank = ({ status }: Fault): number => statusOrder.indexOf(status)

/** The fault that the server reports: its status, and the codes of all faults of the same rank. */
export function firstFault(faults: Fault[]): Fault | undefined {
  const first = Math.min(...faults.map(rank))
  const shared = faults.filter((fault) => rank(fault) === first)
  const [found] = shared
  return (
    found && { status: found.status, codes: [...new Set(shared.flatMap(({ codes }) => codes))] }
  )
}

/** The value of a header; `name` is in lower case. */
export function findSentHeader(request: FuzzRequest, name: string): string | undefined {
  const at = request.headers.findIndex((one, i) => i % 2 === 0 && one.toLowerCase() === name)
  return at < 0 ? undefined : request.headers[at + 1]
}

/** The request as readable text. */
export function formatRequest(request: FuzzRequest): string {
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
