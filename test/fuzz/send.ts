// Sends fuzzed requests over connections that are kept, one for each lane.
import { Agent, request as httpRequest } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { EnvironmentName, FuzzRequest } from './request.ts'

export interface FuzzAnswer {
  status: number
  /** By lower-case name, each as often as it was sent. */
  headers: Map<string, string[]>
  /** Decompressed. */
  text: string
}

export interface Sender {
  send(request: FuzzRequest): Promise<FuzzAnswer>
  close(): void
}

const patienceMs = 10_000
/** A machine that is busy with other things may keep the database waiting: it is asked again, as the answer says. */
const maxAgain = 3

export function createSender(baseUrls: Record<EnvironmentName, string>): Sender {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return {
    close: () => agent.destroy(),
    async send(request) {
      for (let again = 0; ; again++) {
        const answer = await sendOnce(agent, baseUrls, request)
        if (again === maxAgain || !isBusy(answer)) return answer
      }
    },
  }
}

function isBusy({ headers, status, text }: FuzzAnswer): boolean {
  return status === 503 && headers.has('retry-after') && text.includes('"unavailable"')
}

function sendOnce(
  agent: Agent,
  baseUrls: Record<EnvironmentName, string>,
  { environment, method, target, headers, body, isChunked }: FuzzRequest,
): Promise<FuzzAnswer> {
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
      timeout: patienceMs,
    })
    request.on('timeout', () => request.destroy(new Error(`no answer in ${patienceMs} ms`)))
    request.on('error', reject)
    request.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        try {
          const found = collect(response.rawHeaders)
          const text = decode(Buffer.concat(chunks), found.get('content-encoding')?.[0])
          resolve({ status: response.statusCode ?? 0, headers: found, text })
        } catch (error) {
          reject(error)
        }
      })
    })
    request.end(body)
  })
}

function collect(raw: string[]): Map<string, string[]> {
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
