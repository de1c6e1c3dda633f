// Requests to destinations that somebody else names. The name is resolved here, every address it has is
// judged, and the connection is made to a judged address: an answer that changes in between (DNS
// rebinding) changes nothing. No redirect is followed, and little of the answer is read.
import { Resolver } from 'node:dns/promises'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import type { Judgement } from './public-address.ts'

/** Gives the addresses of a host name; none when it has none. */
export type Resolve = (host: string, signal: AbortSignal) => Promise<string[]>

export interface Destinations {
  judge: (address: string) => Judgement
  resolve: Resolve
}

/** The addresses to call, or why none must be called. */
export type Checked = { addresses: string[] } | { refused: string }

export type PostResult =
  | { status: number; retryAfter: string | undefined }
  /** What went wrong, in a few words that are safe to show. */
  | { error: string }

const maxUrl = 2048
const maxAnswerBytes = 4096
/** From the Fetch standard's bad ports: those that a public service on a high port could mean. */
const badPorts = new Set([
  2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
])

/** Asks the system's name servers; the hosts file does not count. localhost is this machine (RFC 6761). */
export const systemResolve: Resolve = async (host, signal) => {
  if (/^(.+\.)?localhost\.?$/.test(host)) return ['127.0.0.1', '::1']
  const resolver = new Resolver({ timeout: 2500, tries: 2 })
  const cancel = (): void => resolver.cancel()
  signal.addEventListener('abort', cancel)
  try {
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

/** What can be said of an address before any name is resolved. Undefined when all is well. */
export function findUrlProblem(text: string): string | undefined {
  const url = URL.parse(text)
  if (!url || text.length > maxUrl) return `is no URL of at most ${maxUrl} characters`
  if (!/^https?:$/.test(url.protocol)) return 'has to begin with https:// (or http://)'
  if (url.username || url.password) return 'must not hold a user name or a password'
  if (url.hash) return 'must not have a fragment'
  return undefined
}

/** Resolves and judges: all addresses of the host have to pass. Plain HTTP and odd ports need 'allowed'. */
export async function checkDestination(
  url: URL,
  { judge, resolve }: Destinations,
  signal: AbortSignal,
): Promise<Checked> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const addresses = isIP(host) ? [host] : await resolve(host, signal)
  if (addresses.length === 0) return { refused: `${host} has no address` }
  const judgements = addresses.map(judge)
  if (judgements.includes('refused')) return { refused: `${host} is not a public address` }
  if (judgements.every((judgement) => judgement === 'allowed')) return { addresses }
  if (url.protocol !== 'https:') return { refused: 'plain http is for allowed addresses only' }
  const port = Number(url.port || 443)
  if ((port < 1024 && port !== 443) || badPorts.has(port))
    return { refused: `port ${port} is not for HTTPS` }
  return { addresses }
}

/** Posts a body and gives the status of the answer. Takes `timeoutMs` at most, names and all; never throws. */
export async function post(
  url: URL,
  headers: Record<string, string>,
  body: string,
  destinations: Destinations,
  timeoutMs: number,
): Promise<PostResult> {
  const timer = new AbortController()
  const timeout = setTimeout(() => timer.abort(), timeoutMs)
  try {
    const late = new Promise<PostResult>((resolve) => {
      // A moment later, so that an answer whose status has come counts.
      timer.signal.addEventListener('abort', () =>
        setImmediate(() => resolve({ error: 'no answer in time' })),
      )
    })
    return await Promise.race([send(url, headers, body, destinations, timer.signal), late])
  } catch (error) {
    return { error: describe(error) }
  } finally {
    clearTimeout(timeout)
  }
}

async function send(
  url: URL,
  headers: Record<string, string>,
  body: string,
  destinations: Destinations,
  signal: AbortSignal,
): Promise<PostResult> {
  const checked = await checkDestination(url, destinations, signal)
  if ('refused' in checked) return { error: `refused: ${checked.refused}` }
  const judged = checked.addresses.map((address) => ({ address, family: isIP(address) }))
  // Whoever asks for the host's addresses is given those that were judged.
  const lookup: LookupFunction = (_host, options, callback) => {
    const [{ address, family }] = judged as [(typeof judged)[number]]
    if (options.all) callback(null, judged)
    else callback(null, address, family)
  }
  const bytes = Buffer.from(body)
  return await new Promise<PostResult>((resolve, reject) => {
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, {
      method: 'POST',
      headers: { ...headers, 'content-length': String(bytes.length) },
      agent: false,
      lookup,
      signal,
      maxHeaderSize: 16_384,
    })
    request.on('error', reject)
    request.on('response', (response) => {
      const status = response.statusCode ?? 0
      const result = { status, retryAfter: response.headers['retry-after'] }
      let read = 0
      const done = (): void => {
        resolve(result)
        request.destroy()
      }
      response.on('data', (chunk: Buffer) => {
        read += chunk.length
        if (read >= maxAnswerBytes) done()
      })
      response.on('end', done)
      // The status has come; what happens to the rest of the answer does not matter.
      response.on('error', done)
      signal.addEventListener('abort', done)
    })
    request.end(bytes)
  })
}

function describe(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ABORT_ERR') return 'no answer in time'
  return String(code ?? message).slice(0, 100)
}
