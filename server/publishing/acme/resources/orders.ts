// Orders (RFC 8555, section 7.4). An order is plain data; its URLs are all that must be kept to go on with it.

import type { HttpResponse } from '../../../platform/network/http-client.ts'
import {
  type AcmeAccount,
  type AcmeClient,
  type CallOptions,
  getDirectory,
  parseResponse,
  post,
} from '../requests/acme-client.ts'
import type { ProblemDocument } from '../requests/acme-error.ts'
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

const statuses = ['pending', 'ready', 'processing', 'valid', 'invalid'] as const
/** `pending`: authorizations are missing. `ready`: finalize it. `processing`: look again. */
export type OrderStatus = (typeof statuses)[number]

export interface Order {
  url: string
  status: OrderStatus
  /** Lower case. */
  hosts: string[]
  authorizationUrls: string[]
  finalizeUrl: string
  /** There once it is valid. */
  certificateUrl: string | undefined
  /** Milliseconds since the epoch. */
  expiresAt: number | undefined
  profile: string | undefined
  /** Why it is invalid. */
  problem: ProblemDocument | undefined
  /** When the authority wants to be asked again. */
  retryAt: number | undefined
}

export interface NewOrder {
  /** ASCII; a wildcard begins with `*.`. */
  hosts: string[]
  /** One of the directory's profiles. */
  profile?: string | undefined
  /** The renewalId of the certificate that this one follows (RFC 9773, section 5). */
  replaces?: string | undefined
}

/** Begins an order. Each call may make another one. */
export async function createOrder(
  client: AcmeClient,
  account: AcmeAccount,
  { hosts, profile, replaces }: NewOrder,
  options: CallOptions = {},
): Promise<Order> {
  const operation = 'new order'
  const { newOrder: url } = await getDirectory(client, options)
  const payload = {
    identifiers: hosts.map((value) => ({ type: 'dns', value })),
    ...(profile !== undefined && { profile }),
    ...(replaces !== undefined && { replaces }),
  }
  const answer = await post(client, account, { operation, url, payload, ...options })
  return parseResponse(operation, () => readOrder(client, answer, answer.headers.location))
}

export async function getOrder(
  client: AcmeClient,
  account: AcmeAccount,
  url: string,
  options: CallOptions = {},
): Promise<Order> {
  const operation = 'get order'
  const answer = await post(client, account, { operation, url, ...options })
  return parseResponse(operation, () => readOrder(client, answer, url))
}

/** Asks for the certificate of an order that is ready; `request` is the DER of signRequest. */
export async function finalizeOrder(
  client: AcmeClient,
  account: AcmeAccount,
  order: Pick<Order, 'url' | 'finalizeUrl'>,
  request: Buffer,
  options: CallOptions = {},
): Promise<Order> {
  const operation = 'finalize order'
  const payload = { csr: request.toString('base64url') }
  const sent = { operation, url: order.finalizeUrl, payload, ...options } as const
  const answer = await post(client, account, sent)
  return parseResponse(operation, () => readOrder(client, answer, order.url))
}

function readOrder(client: AcmeClient, answer: HttpResponse, url: string | undefined): Order {
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
    certificateUrl,
    expiresAt: readOptionalTimestamp(fields, 'expires'),
    profile: readOptionalText(fields, 'profile'),
    problem: readProblem(fields.error),
    retryAt: readRetryAfter(answer.headers['retry-after'], client.now()),
  }
}
