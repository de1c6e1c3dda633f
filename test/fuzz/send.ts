// Sends the fuzzer's requests over persistent connections, one for each lane, by HTTP/1.1 or HTTP/2.
import { Agent, request as httpRequest } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { type EnvironmentName, type FuzzRequest, findSentHeader } from './request.ts'
import { createHttp2Sender, timeoutMs } from './send-http2.ts'

export interface FuzzResponse {
  status: number
  /** By lower-case name, with all values. */
  headers: Map<string, string[]>
  /** Decompressed. */
  text: string
}

export interface Sender {
  send(request: FuzzRequest): Promise<FuzzResponse>
  close(): void
}

/** On a busy machine the database may be slow. */
const maxRetries = 3

/** With `http2Port`, by HTTP/2, except what it cannot express. */
export function createSender(
  baseUrls: Record<EnvironmentName, string>,
  http2Port?: number,
): Sender {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const http2 = http2Port === undefined ? undefined : createHttp2Sender(http2Port)

  async function overHttp2(request: FuzzRequest): Promise<FuzzResponse | undefined> {
    const { environment, expected, headers, isChunked, method, target } = request
    // What the parser of HTTP/1.1 rejects is something else in HTTP/2.
    if (!http2 || expected.codes.includes('invalid_request')) return undefined
    const { hostname, pathname } = new URL(baseUrls[environment])
    const body = request.body ?? (method === 'POST' ? new Uint8Array() : undefined)
    const length = body && !isChunked ? ['content-length', `${body.length}`] : []
    const sent = { host: hostname, method, path: pathname + target, body }
    const answer = await http2.send({ ...sent, headers: [...headers, ...length] })
    if (!answer) return undefined
    const collected = collectHeaders(answer.rawHeaders)
    const text = decode(answer.body, collected.get('content-encoding')?.[0])
    return { status: answer.status, headers: collected, text }
  }

  return {
    close() {
      agent.destroy()
      http2?.close()
    },
    async send(request) {
      // The first attempt may have been executed.
      let wasUnknown = false
      for (let retries = 0; ; retries++) {
        const response = (await overHttp2(request)) ?? (await sendOnce(agent, baseUrls, request))
        if (wasUnknown && request.expected.replayed === undefined) {
          response.headers.delete('idempotent-replayed')
        }
        if (retries === maxRetries || !isRepeatable(request, response)) return response
        wasUnknown ||= response.status === 504
      }
    },
  }
}

/**
 * A 503 with Retry-After says that nothing was changed. A 504 does not: a change is repeated with its Idempotency-Key
 * only.
 */
function isRepeatable(request: FuzzRequest, { headers, status, text }: FuzzResponse): boolean {
  if (status === 503) return headers.has('retry-after') && text.includes('"unavailable"')
  const hasKey = findSentHeader(request, 'idempotency-key') !== undefined
  return status === 504 && text.includes('"outcome_unknown"') && hasKey
}

function sendOnce(
  agent: Agent,
  baseUrls: Record<EnvironmentName, string>,
  { environment, method, target, headers, body, isChunked }: FuzzRequest,
): Promise<FuzzResponse> {
  const base = new URL(baseUrls[environment])
  const framing = body
    ? isChunked
      ? ['Transfer-Encoding', 'chunked']
      : ['Content-Length', `${body.length}`]
    : method === 'POST'
      ? ['Content-Length', '0']
      : []
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      agent,
      host: '127.0.0.1',
      port: base.port,
      method,
      path: base.pathname + target,
      headers: ['Host', base.host, ...headers, ...framing],
      timeout: timeoutMs,
    })
    request.on('timeout', () => request.destroy(new Error(`no response in ${timeoutMs} ms`)))
    request.on('error', reject)
    request.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        try {
          const collected = collectHeaders(response.rawHeaders)
          const text = decode(Buffer.concat(chunks), collected.get('content-encoding')?.[0])
          resolve({ status: response.statusCode ?? 0, headers: collected, text })
        } catch (error) {
          reject(error)
        }
      })
    })
    request.end(body)
  })
}

function collectHeaders(raw: string[]): Map<string, string[]> {
  const headers = new Map<string, string[]>()
  for (let i = 0; i < raw.length; i += 2) {
    const name = (raw[i] as string).toLowerCase()
    headers.set(name, [...(headers.get(name) ?? []), raw[i + 1] as string])
  }
  return headers
}

function decode(body: Buffer, coding: string | undefined): string {
  if (coding === undefined || body.length === 0) return body.toString()
  return (coding === 'br' ? brotliDecompressSync(body) : gunzipSync(body)).toString()
}
