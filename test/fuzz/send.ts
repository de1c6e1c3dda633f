// Sends the fuzzer's requests over persistent connections, one for each lane, by HTTP/1.1 or HTTP/2.
import { Agent } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { type EnvironmentName, type FuzzRequest, findSentHeader } from './request.ts'
import { createHttp2Sender, sendHttp1 } from './send-raw.ts'

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

  async function sendOnce(request: FuzzRequest): Promise<FuzzResponse> {
    const { environment, headers, isChunked, method, target } = request
    const { host, hostname, pathname, port } = new URL(baseUrls[environment])
    const sent = { method, path: pathname + target }
    const body = request.body ?? (method === 'POST' ? new Uint8Array() : undefined)
    const length = body && !isChunked ? ['content-length', `${body.length}`] : []
    const response =
      (await http2?.send({ ...sent, host: hostname, headers: [...headers, ...length], body })) ??
      (await sendHttp1(agent, Number(port), { ...request, ...sent, host }))
    const collected = collectHeaders(response.rawHeaders)
    const text = decode(response.body, collected.get('content-encoding')?.[0])
    return { status: response.status, headers: collected, text }
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
        const response = await sendOnce(request)
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
