// A webhook receiver with responses chosen by the test. Its signature check follows the Standard Webhooks text and shares
// no code with the program.
import { subtle, timingSafeEqual } from 'node:crypto'
import {
  createServer,
  type IncomingHttpHeaders,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { onTestFinished } from 'vitest'
import type { Pem } from '#kit/http/tls/secure-contexts.ts'
import { listenOnFreePort } from '../listen.ts'

export interface Received {
  id: string
  type: string
  timestamp: string
  data: Record<string, unknown>
  headers: IncomingHttpHeaders
  text: string
}

/** Responds to a request; `count` is the number of requests so far, 1 for the first. Default: 204. */
export type Reply = (response: ServerResponse, received: Received, count: number) => void

export interface Receiver {
  url: string
  received: Received[]
  reply: Reply
  /** Resolves with all requests once there are this many. */
  took(count: number): Promise<Received[]>
  /** The number of requests without a response, now and at the highest. */
  open: { now: number; most: number }
}

export const accept: Reply = (response) => {
  response.statusCode = 204
  response.end()
}

export const answerWith =
  (status: number, headers: Record<string, string> = {}): Reply =>
  (response) => {
    response.writeHead(status, headers).end()
  }

/** Listens on 127.0.0.1 until the test ends, with HTTPS if there is a certificate. */
export async function startReceiver(reply: Reply = accept, pem?: Pem): Promise<Receiver> {
  const waiting = new Set<() => void>()
  const receiver: Receiver = {
    url: '',
    received: [],
    reply,
    open: { now: 0, most: 0 },
    took: (count) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (receiver.received.length < count) return
          waiting.delete(look)
          resolve(receiver.received)
        }
        waiting.add(look)
        look()
      }),
  }
  const handle: RequestListener = (request, response) => {
    receiver.open.now++
    receiver.open.most = Math.max(receiver.open.most, receiver.open.now)
    response.on('close', () => {
      receiver.open.now--
    })
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString()
      const id = String(request.headers['webhook-id'])
      const received = { ...JSON.parse(text), id, headers: request.headers, text }
      receiver.received.push(received)
      receiver.reply(response, received, receiver.received.length)
      for (const look of waiting) look()
    })
  }
  const server = pem
    ? createTlsServer({ key: pem.key, cert: pem.chain }, handle)
    : createServer(handle)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  receiver.url = `http${pem ? 's' : ''}://127.0.0.1:${await listenOnFreePort(server)}/hook`
  return receiver
}

/** True if one of the message's signatures was made with this secret (`whsec_…`). */
export async function isSigned({ headers, text }: Received, secret: string): Promise<boolean> {
  const raw = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await subtle.importKey('raw', raw, algorithm, false, ['sign'])
  const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`
  const wanted = Buffer.from(await subtle.sign('HMAC', key, Buffer.from(content)))
  return String(headers['webhook-signature'])
    .split(' ')
    .filter((signature) => signature.startsWith('v1,'))
    .map((signature) => Buffer.from(signature.slice(3), 'base64'))
    .some((signature) => signature.length === wanted.length && timingSafeEqual(signature, wanted))
}
