// One request over TLS to a server under test, at a host that resolves nowhere, on a connection of its own: to
// check what is shown and answered, and how long that takes.

import { X509Certificate } from 'node:crypto'
import { request } from 'node:https'
import type { TLSSocket } from 'node:tls'

export interface SecureAnswer {
  status: number
  /** Its Content-Type. */
  type: string
  body: string
  /** The certificate that was shown, in PEM. */
  chain: string
  /** From the start of the connection to the end of the handshake, and to the first byte of the answer. */
  handshakeMs: number
  firstByteMs: number
}

export interface SecureOptions {
  /** 127.0.0.1 without it. */
  address?: string
  /** Whose certificates are believed; without it any is. */
  roots?: string
}

const withinMs = 30_000

/** Rejects where no TLS comes about. */
export function askSecurely(
  port: number,
  host: string,
  path: string,
  { address = '127.0.0.1', roots }: SecureOptions = {},
): Promise<SecureAnswer> {
  return new Promise((resolve, reject) => {
    const began = performance.now()
    let handshakeMs = Number.NaN
    const sent = request({
      host: address,
      port,
      path,
      servername: host,
      headers: { host },
      agent: false,
      timeout: withinMs,
      ...(roots === undefined ? { rejectUnauthorized: false } : { ca: roots }),
    })
    sent.on('socket', (socket) => {
      socket.once('secureConnect', () => {
        handshakeMs = performance.now() - began
      })
    })
    sent.on('timeout', () => sent.destroy(new Error(`${host}: nothing in ${withinMs} ms`)))
    sent.on('error', reject)
    sent.on('response', async (response) => {
      const firstByteMs = performance.now() - began
      const { raw } = (response.socket as TLSSocket).getPeerCertificate()
      let body = ''
      try {
        for await (const part of response.setEncoding('utf8')) body += part
      } catch (error) {
        return reject(error)
      }
      resolve({
        status: response.statusCode ?? 0,
        type: response.headers['content-type'] ?? '',
        body,
        chain: new X509Certificate(raw).toString(),
        handshakeMs,
        firstByteMs,
      })
    })
    sent.end()
  })
}
