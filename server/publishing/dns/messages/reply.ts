// Which bytes are the answer to which question: a response, to a query, with our id and our question as it
// was sent. The source has been seen to by the socket, which is connected to the server.
import type { ExchangeFailure } from './exchange.ts'
import { type DnsMessage, readMessage } from './read-message.ts'

export type Reply = { message: DnsMessage } | { failure: ExchangeFailure }

const headerBytes = 12

/** Undefined when the bytes are not the answer to this query. */
export function replyTo(query: Buffer, bytes: Buffer): DnsMessage | undefined {
  const message = readMessage(bytes)
  if (!message?.isResponse || message.opcode !== 0) return undefined
  if (message.id !== query.readUInt16BE(0)) return undefined
  const { questionBytes, answer } = message
  const asked = query.subarray(headerBytes, headerBytes + questionBytes.length)
  if (questionBytes.length > 0)
    return isWholeQuestion(query, questionBytes, asked) ? message : undefined
  // Servers that refuse before they read leave the question out.
  const isError = answer.rcode !== 'NOERROR' && answer.rcode !== 'NXDOMAIN'
  return isError ? message : undefined
}

export function failureOf(error: unknown): ExchangeFailure {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'ECONNREFUSED' || code === 'ECONNRESET' ? 'refused-connection' : 'unreachable'
}

function isWholeQuestion(query: Buffer, questionBytes: Buffer, asked: Buffer): boolean {
  // The name ends with the root label, so no longer name begins with the same bytes.
  return questionBytes.equals(asked) && query.length >= headerBytes + questionBytes.length
}
