// Sends one HTTPS request on a new connection, with any host name, to a server under test. Returns the
// certificate and the response, and how long both took.

import { X509Certificate } from 'node:crypto'
import { request } from 'node:https'
import type { TLSSocket } from 'node:tls'

export interface HttpsResponse {
  status: number
  contentType: string
  body: string
  /** The server's certificate, in PEM. */
  certificate: string
  /** Time from the start of the connection to the end of the handshake. */
  handshakeMs: number
  /** Time from the start of the connection to the first byte of the response. */
  firstByteMs: number
}

export interface HttpsOptions {
  /** Default: 127.0.0.1. */
  address?: string
  /** Trusted root certificates, in PEM. Without them, any certificate is accepted. */
  roots?: string
}

const timeoutMs = 30_000

/** Rejects if the TLS handshake fails. */
export function sendHttpsRequest(
  port: number,
  host: string,
  path: string,
  { address = '127.0.0.1', roots }: HttpsOptions = {},
): Promise<HttpsResponse> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now()
    let handshakeMs = Number.NaN
    const outgoing = request({
      host: address,
      port,
      path,
      servername: host,
      headers: { host },
      agent: false,
      timeout: timeoutMs,
      ...(roots === undefined ? { rejectUnauthorized: false } : { ca: roots }),
    })
    outgoing.on('socket', (socket) => {
      socket.once('secureConnect', () => {
        handshakeMs = performance.now() - startedAt
      })
    })
    outgoing.on('timeout', () =>
      outgoing.destroy(new Error(`${host}: no response in ${timeoutMs} ms`)),
    )
    outgoing.on('error', reject)
    outgoing.on('response', async (response) => {
      const firstByteMs = performance.now() - startedAt
      const { raw } = (response.socket as TLSSocket).getPeerCertificate()
      let body = ''
      try {
        for await (const part of response.setEncoding('utf8')) body += part
      } catch (error) {
        return reject(error)
      }
      resolve({
        status: response.statusCode ?? 0,
        contentType: response.headers['content-type'] ?? '',
        body,
        certificate: new X509Certificate(raw).toString(),
        handshakeMs,
        firstByteMs,
      })
    })
    outgoing.end()
  })
}
