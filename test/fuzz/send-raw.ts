// Sends the requests of the fuzzers. HTTP/2 has a connection for each host, opened again when the server has closed one.
import { type Agent, request as httpRequest } from 'node:http'
import { type ClientHttp2Session, connect } from 'node:http2'

export interface RawResponse {
  status: number
  /** Name, value, name, value. */
  rawHeaders: string[]
  body: Buffer
}

export interface RawRequest {
  host: string
  method: string
  path: string
  /** Name, value, name, value. */
  headers: string[]
  body?: Uint8Array | undefined
}

/** Longer than the database's time-out in tests, after which the program answers. */
const timeoutMs = 30_000
/** Node's client refuses to send these; HTTP/1.1 sends them instead. */
const unsendable = ['ERR_HTTP2_HEADER_SINGLE_VALUE', 'ERR_HTTP2_INVALID_CONNECTION_HEADERS']

export function createHttp2Sender(port: number) {
  const sessions = new Map<string, ClientHttp2Session>()

  function sessionOf(host: string): ClientHttp2Session {
    const open = sessions.get(host)
    if (open && !open.closed && !open.destroyed) return open
    const session = connect(`https://${host}:${port}`, {
      host: '127.0.0.1',
      rejectUnauthorized: false,
      servername: host,
    } as Parameters<typeof connect>[1])
    session.on('error', () => {})
    sessions.set(host, session)
    return session
  }

  return {
    close: () => sessions.forEach((session) => void session.destroy()),
    /**
     * Undefined if HTTP/2 cannot express the request. Rejects without a response in 10 s. A stream of events is
     * cancelled after its head.
     */
    async send(request: RawRequest): Promise<RawResponse | undefined> {
      const { body, headers, host, method, path } = request
      const head = [':method', method, ':path', path, ':scheme', 'https', ':authority', host]
      return await new Promise((resolve, reject) => {
        let stream: ReturnType<ClientHttp2Session['request']>
        try {
          stream = sessionOf(host).request([...head, ...lowerCase(headers)] as never, {
            endStream: body === undefined,
          })
        } catch (error) {
          const { code = '' } = error as NodeJS.ErrnoException
          return unsendable.includes(code) ? resolve(undefined) : reject(error)
        }
        let answer: RawResponse | undefined
        const chunks: Buffer[] = []
        const finish = () =>
          answer ? resolve({ ...answer, body: Buffer.concat(chunks) }) : undefined
        stream.setTimeout(timeoutMs, () => {
          reject(new Error(`no response in ${timeoutMs} ms over HTTP/2`))
          stream.close()
        })
        stream.on('response', (fields, _flags, raw: string[]) => {
          const rawHeaders = raw.filter((_, i) => !raw[i - (i % 2)]?.startsWith(':'))
          answer = { status: Number(fields[':status']), rawHeaders, body: Buffer.alloc(0) }
          if (String(fields['content-type']).startsWith('text/event-stream')) {
            finish()
            stream.close()
          }
        })
        stream.on('data', (chunk: Buffer) => chunks.push(chunk))
        stream.on('end', finish)
        stream.on('close', () => (answer ? finish() : reject(new Error('the stream was closed'))))
        // After a response, the server may refuse the rest of the body.
        stream.on('error', (error) => (answer ? finish() : reject(error)))
        if (body) stream.end(body)
      })
    },
  }
}

/** Field names are in lower case (RFC 9113, section 8.2.1). */
function lowerCase(headers: string[]): string[] {
  return headers.map((text, i) => (i % 2 === 0 ? text.toLowerCase() : text))
}

/** Rejects without a response in 30 s. A stream of events is cancelled after its head. */
export function sendHttp1(
  agent: Agent,
  port: number,
  { body, headers, host, isChunked = false, method, path }: RawRequest & { isChunked?: boolean },
): Promise<RawResponse> {
  const hasLength = body !== undefined || !['GET', 'HEAD'].includes(method)
  const length = hasLength ? ['content-length', `${body?.length ?? 0}`] : []
  const framing = body && isChunked ? ['transfer-encoding', 'chunked'] : length
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      ...{ agent, host: '127.0.0.1', port, method, path, timeout: timeoutMs },
      headers: ['host', host, ...headers, ...framing],
    })
    request.on('timeout', () => request.destroy(new Error(`no response in ${timeoutMs} ms`)))
    request.on('error', reject)
    request.on('response', (response) => {
      const { rawHeaders, statusCode: status = 0 } = response
      const chunks: Buffer[] = []
      const finish = () => resolve({ status, rawHeaders, body: Buffer.concat(chunks) })
      if (response.headers['content-type']?.startsWith('text/event-stream')) {
        finish()
        response.destroy()
        return
      }
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', finish)
    })
    request.end(body)
  })
}
