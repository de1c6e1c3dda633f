// Authorizations and their challenges (RFC 8555, section 7.5): proof of control of a host.

import type { HttpResponse } from '../../../platform/network/http-client.ts'
import {
  type AcmeAccount,
  type AcmeClient,
  type CallOptions,
  parseResponse,
  post,
} from '../requests/acme-client.ts'
import type { ProblemDocument } from '../requests/acme-error.ts'
import { readProblem } from '../requests/read-problem.ts'
import {
  asFields,
  type Fields,
  MalformedResponse,
  readEnum,
  readFields,
  readList,
  readOptionalTimestamp,
  readText,
  readUrl,
} from '../requests/read-response.ts'
import { readRetryAfter } from '../requests/retry-after.ts'

const statuses = ['pending', 'valid', 'invalid', 'deactivated', 'expired', 'revoked'] as const
export type AuthorizationStatus = (typeof statuses)[number]

export interface Authorization {
  url: string
  status: AuthorizationStatus
  /** Lower case, without `*.`. */
  host: string
  isWildcard: boolean
  /** Milliseconds since the epoch. */
  expiresAt: number | undefined
  /** Those that can be answered here: HTTP-01 and TLS-ALPN-01. */
  challenges: Challenge[]
  /** When the authority wants to be asked again. */
  retryAt: number | undefined
}

const answered = ['http-01', 'tls-alpn-01'] as const
export type ChallengeType = (typeof answered)[number]

const challengeStatuses = ['pending', 'processing', 'valid', 'invalid'] as const

export interface Challenge {
  type: ChallengeType
  url: string
  status: (typeof challengeStatuses)[number]
  /** base64url. */
  token: string
  /** What the authority saw, when it failed. */
  problem: ProblemDocument | undefined
}

export async function getAuthorization(
  client: AcmeClient,
  account: AcmeAccount,
  url: string,
  options: CallOptions = {},
): Promise<Authorization> {
  const operation = 'get authorization'
  const answer = await post(client, account, { operation, url, ...options })
  return parseResponse(operation, () => readAuthorization(client, answer, url))
}

/**
 * Tells the authority that the answer stands ready; it looks after a while (section 7.5.1). Only for a challenge
 * that is pending: a second time is refused.
 */
export async function answerChallenge(
  client: AcmeClient,
  account: AcmeAccount,
  url: string,
  options: CallOptions = {},
): Promise<Challenge> {
  const operation = 'answer challenge'
  const answer = await post(client, account, { operation, url, payload: {}, ...options })
  return parseResponse(operation, () => {
    const [challenge] = readChallenge(readFields(answer.body))
    if (!challenge) throw new MalformedResponse('type is none that can be answered')
    return challenge
  })
}

/** Gives up a proof, or the attempt at one (section 7.5.2). */
export async function deactivateAuthorization(
  client: AcmeClient,
  account: AcmeAccount,
  url: string,
  options: CallOptions = {},
): Promise<Authorization> {
  const operation = 'deactivate authorization'
  const payload = { status: 'deactivated' }
  const answer = await post(client, account, { operation, url, payload, ...options })
  return parseResponse(operation, () => readAuthorization(client, answer, url))
}

/** Why an authorization is invalid: the problem of the challenge that failed. */
export function problemOfAuthorization({ challenges }: Authorization): ProblemDocument | undefined {
  return challenges.find(({ problem }) => problem)?.problem
}

function readAuthorization(client: AcmeClient, answer: HttpResponse, url: string): Authorization {
  const fields = readFields(answer.body)
  return {
    url,
    status: readEnum(fields, 'status', statuses),
    host: readText(asFields(fields.identifier, 'identifier'), 'value').toLowerCase(),
    isWildcard: fields.wildcard === true,
    expiresAt: readOptionalTimestamp(fields, 'expires'),
    challenges: readList(fields, 'challenges').flatMap((each) =>
      readChallenge(asFields(each, 'challenge')),
    ),
    retryAt: readRetryAfter(answer.headers['retry-after'], client.now()),
  }
}

/** None, when it is of a type that cannot be answered here. */
function readChallenge(fields: Fields): Challenge[] {
  const type = answered.find((each) => each === fields.type)
  if (type === undefined) return []
  const token = readText(fields, 'token')
  // It becomes part of a path and of an answer (section 8.3).
  if (!/^[A-Za-z0-9_-]+$/.test(token)) throw new MalformedResponse('token is not base64url')
  return [
    {
      type,
      url: readUrl(fields, 'url'),
      status: readEnum(fields, 'status', challengeStatuses),
      token,
      problem: readProblem(fields.error),
    },
  ]
}
