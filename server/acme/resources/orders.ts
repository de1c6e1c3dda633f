// Orders (RFC 8555, section 7.4). An order is plain data; its URLs suffice to continue it.

import type { HttpResponse } from '#kit/network/http-client.ts'
import { type AcmeSession, getDirectory, type Post, request } from '../requests/acme-client.ts'
import { readProblem } from '../requests/read-problem.ts'
import {
  asFields,
  asUrl,
  MalformedResponse,
  readEnum,
  readFields,
  readList,
  readOptionalText,
  readOptionalTimestamp,
  readOptionalUrl,
  readText,
  readUrl,
} from '../requests/read-response.ts'
import { readRetryAfter } from '../requests/retry-after.ts'

/** `pending`: authorizations are missing. `ready`: finalize it. `processing`: poll again. */
const statuses = ['pending', 'ready', 'processing', 'valid', 'invalid'] as const
export type Order = ReturnType<typeof readOrder>

export interface NewOrder {
  /** ASCII; a wildcard begins with `*.`. */
  hosts: string[]
  /** One of the directory's profiles. */
  profile?: string | undefined
  /** The renewalId of the certificate that this one replaces (RFC 9773, section 5). */
  replaces?: string | undefined
}

/** Each call may create another order. */
export async function createOrder(session: AcmeSession, { hosts, profile, replaces }: NewOrder) {
  const { newOrder: url } = await getDirectory(session.client, session)
  const payload = {
    identifiers: hosts.map((value) => ({ type: 'dns', value })),
    ...(profile !== undefined && { profile }),
    ...(replaces !== undefined && { replaces }),
  }
  const sent: Post = { operation: 'new order', url, payload }
  return await request(session, sent, (answer) =>
    readOrder(session, answer, answer.headers.location),
  )
}

export async function getOrder(session: AcmeSession, url: string): Promise<Order> {
  const sent: Post = { operation: 'get order', url }
  return await request(session, sent, (answer) => readOrder(session, answer, url))
}

/** Requests the certificate of an order that is ready; `csr` is the DER of signRequest. */
export async function finalizeOrder(
  session: AcmeSession,
  order: Pick<Order, 'url' | 'finalizeUrl'>,
  csr: Buffer,
): Promise<Order> {
  const payload = { csr: csr.toString('base64url') }
  const sent: Post = { operation: 'finalize order', url: order.finalizeUrl, payload }
  return await request(session, sent, (answer) => readOrder(session, answer, order.url))
}

function readOrder({ client }: AcmeSession, answer: HttpResponse, url: string | undefined) {
  const fields = readFields(answer.body)
  const status = readEnum(fields, 'status', statuses)
  const certificateUrl = readOptionalUrl(fields, 'certificate')
  if (status === 'valid' && certificateUrl === undefined) {
    throw new MalformedResponse('certificate is missing')
  }
  return {
    url: asUrl(url, 'Location'),
    status,
    hosts: readList(fields, 'identifiers').map((each) =>
      readText(asFields(each, 'identifier'), 'value').toLowerCase(),
    ),
    authorizationUrls: readList(fields, 'authorizations').map((each) =>
      asUrl(each, 'authorizations'),
    ),
    finalizeUrl: readUrl(fields, 'finalize'),
    /** Defined once it is valid. */
    certificateUrl,
    expiresAt: readOptionalTimestamp(fields, 'expires'),
    profile: readOptionalText(fields, 'profile'),
    /** Why it is invalid. */
    problem: readProblem(fields.error),
    /** When the authority wants to be polled again. */
    retryAt: readRetryAfter(answer.headers['retry-after'], client.now()),
  }
}
