// A proxy before a certificate authority that injects faults: errors as other authorities word them, and responses
// that are late, broken, huge or missing. It passes everything else, so that URLs lead back to the proxy.
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Agent, createServer, request as requestHttps } from 'node:https'
import type { Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { createInternalRoot, issueInternally } from '#acme/x509/certificate.ts'
import { listenOnFreePort } from '../listen.ts'

export interface ProblemFault {
  kind: 'problem'
  /** Without the ACME prefix. */
  type: string
  status: number
  detail?: string
  instance?: string
  /** Seconds, or a date. */
  retryAfter?: string
  link?: string
  subproblems?: { type: string; detail: string; identifier: { type: 'dns'; value: string } }[]
}

export type Fault =
  | ProblemFault
  /** A response that is not a problem document. */
  | { kind: 'status'; status: number; body?: string; headers?: Record<string, string> }
  /** No response. */
  | { kind: 'silence' }
  /** Half of a response, then nothing. */
  | { kind: 'stalled' }
  /** The authority processes the request, and the connection is cut during its response. */
  | { kind: 'cut off' }
  /** The connection is cut before the authority receives the request. */
  | { kind: 'cut before' }
  | { kind: 'no HTTP' }
  | { kind: 'huge' }
  /** The response waits for this. */
  | { kind: 'late'; after: Promise<unknown> }
  /** The authority's response, changed. */
  | { kind: 'changed'; change(answer: Record<string, unknown>): unknown }

export interface FaultProxy {
  directoryUrl: string
  /** PEM. */
  root: string
  /** Method and path of the requests, in order. */
  asked: string[]
  connections: number
  /** Called after each response of the authority, with the times of its start and end (performance.now()). */
  onPassed(path: string, began: number, ended: number): void
  /** What to do with a request; undefined passes it. To be set again for each test. */
  faultFor(method: string, path: string): Fault | undefined
  close(): Promise<void>
}

/** `directoryUrl` and `trustedRoots` are those of the authority behind the proxy. */
export async function startFaultProxy(
  directoryUrl: string,
  trustedRoots: string,
): Promise<FaultProxy> {
  const { hostname, pathname, port: authorityPort } = new URL(directoryUrl)
  const agent = new Agent({ keepAlive: true, ca: trustedRoots })
  const root = await createInternalRoot('Fault proxy', Date.now())
  const own = await issueInternally(root, [hostname], { days: 1, now: Date.now() })
  const sockets = new Set<Socket>()
  const server = createServer({ cert: own.chain, key: own.key }, (request, response) => {
    const { method = '', url = '' } = request
    proxy.asked.push(`${method} ${url}`)
    const fault = proxy.faultFor(method, url)
    response.on('error', () => {})
    answer(request, response, fault).catch(() => response.destroy())
  })
  server.on('connection', (socket) => {
    proxy.connections++
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  })
  server.on('tlsClientError', () => {})
  const port = await listenOnFreePort(server, hostname)
  const proxy: FaultProxy = {
    directoryUrl: `https://${hostname}:${port}${pathname}`,
    root: root.chain,
    asked: [],
    connections: 0,
    onPassed: () => {},
    faultFor: () => undefined,
    async close() {
      agent.destroy()
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }

  async function answer(request: IncomingMessage, response: ServerResponse, fault?: Fault) {
    if (fault?.kind === 'silence') return
    if (fault?.kind === 'cut before') return response.destroy()
    if (fault?.kind === 'no HTTP') return response.socket?.end('220 mail.example ESMTP\r\n')
    if (fault?.kind === 'status') {
      return response.writeHead(fault.status, fault.headers).end(fault.body)
    }
    if (fault?.kind === 'problem') return await refuse(response, fault)
    const began = performance.now()
    const passed = await pass(request)
    proxy.onPassed(request.url ?? '', began, performance.now())
    if (fault?.kind === 'late') await fault.after
    if (fault?.kind === 'huge') return sendEndlessly(response, passed)
    const body =
      fault?.kind === 'changed'
        ? Buffer.from(JSON.stringify(fault.change(JSON.parse(passed.body.toString()))))
        : passed.body
    const { 'transfer-encoding': _, ...others } = passed.headers
    const headers = { ...others, 'content-length': `${body.length}` }
    response.writeHead(passed.status, headers)
    if (fault?.kind !== 'cut off' && fault?.kind !== 'stalled') return response.end(body)
    response.write(body.subarray(0, body.length / 2), () => {
      if (fault.kind === 'cut off') response.destroy()
    })
  }

  async function refuse(response: ServerResponse, fault: ProblemFault) {
    const { detail = 'A fault injected by a test.', retryAfter, type } = fault
    const { instance, link, status, subproblems } = fault
    const prefix = 'urn:ietf:params:acme:error:'
    response.writeHead(status, {
      'content-type': 'application/problem+json',
      // An error response has a nonce, too.
      'replay-nonce': await freshNonce(),
      ...(retryAfter !== undefined && { 'retry-after': retryAfter }),
      ...(link !== undefined && { link }),
    })
    const under = subproblems?.map((each) => ({ ...each, type: prefix + each.type }))
    const said = { type: prefix + type, detail, status, instance, subproblems: under }
    response.end(JSON.stringify(said))
  }

  async function freshNonce(): Promise<string> {
    const directory = await toAuthority('GET', pathname, {}, undefined)
    const { newNonce } = JSON.parse(directory.body.toString())
    const answered = await toAuthority('HEAD', new URL(newNonce).pathname, {}, undefined)
    return String(answered.headers['replay-nonce'])
  }

  async function pass(request: IncomingMessage) {
    const { headers, method = '', url = '' } = request
    return await toAuthority(method, url, headers, await buffer(request))
  }

  async function toAuthority(
    method: string,
    path: string,
    headers: IncomingMessage['headers'],
    body: Buffer | undefined,
  ) {
    const place = { agent, host: hostname, port: authorityPort }
    const sent = requestHttps({
      ...{ ...place, method, path },
      headers: { 'user-agent': 'Fault-Proxy', ...headers },
    })
    // Also after the response has begun.
    sent.on('error', () => {}).end(body)
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    const { headers: received, statusCode: status = 0 } = response
    return { status, headers: received, body: await buffer(response) }
  }

  return proxy
}

/** Two megabytes in chunks, without an end. */
function sendEndlessly(
  response: ServerResponse,
  { headers, status }: { headers: IncomingMessage['headers']; status: number },
): void {
  const { 'content-length': _length, 'transfer-encoding': _coding, ...others } = headers
  response.writeHead(status, others)
  let sent = 0
  const more = (): void => {
    while (sent < 2_000_000) {
      sent += 10_000
      if (!response.write(' '.repeat(10_000))) {
        response.once('drain', more)
        return
      }
    }
  }
  more()
}

/**
 * A CAA refusal as an authority finds it during validation: the authorization is invalid, and its challenge has the
 * reason.
 */
export function forbiddenByCaa(host: string): Fault {
  const error = {
    type: 'urn:ietf:params:acme:error:caa',
    detail: `CAA record for ${host} prevents issuance`,
    status: 403,
  }
  return {
    kind: 'changed',
    change: (authorization) => ({
      ...authorization,
      status: 'invalid',
      challenges: (authorization.challenges as object[]).map((each) => ({
        ...each,
        status: 'invalid',
        error,
      })),
    }),
  }
}

/** The first `times` requests whose path begins with this part. */
export function faultAt(
  part: string,
  fault: Fault,
  times = Number.POSITIVE_INFINITY,
): FaultProxy['faultFor'] {
  let left = times
  return (_, path) => (path.startsWith(`/${part}`) && left-- > 0 ? fault : undefined)
}

/** A rate limit error, with `retryAfter` in seconds or as a date. */
export function rateLimited(retryAfter: string): Fault {
  const detail = 'too many certificates (5) already issued for this exact set of identifiers'
  return { kind: 'problem', type: 'rateLimited', status: 429, detail, retryAfter }
}
