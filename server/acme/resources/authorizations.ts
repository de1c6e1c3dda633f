// Authorizations and their challenges (RFC 8555, section 7.5): proof of control of a host.

import type { HttpResponse } from '#kit/network/http-client.ts'
import { type AcmeSession, type Post, post, request } from '../requests/acme-client.ts'
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

export type Authorization = ReturnType<typeof readAuthorization>

/** Those that this client can answer. */
const challengeTypes = ['http-01', 'tls-alpn-01', 'dns-01'] as const
export type ChallengeType = (typeof challengeTypes)[number]

const challengeStatuses = ['pending', 'processing', 'valid', 'invalid'] as const

export interface Challenge {
  type: ChallengeType
  token: string
  url: string
  status: (typeof challengeStatuses)[number]
  /** What the authority saw, when it failed. */
  problem: ProblemDocument | undefined
}

export async function getAuthorization(session: AcmeSession, url: string): Promise<Authorization> {
  const sent: Post = { operation: 'get authorization', url }
  return await request(session, sent, (answer) => readAuthorization(session, answer, url))
}

/** Tells the authority to validate (section 7.5.1). Only for a pending challenge: a second call is refused. */
export async function answerChallenge(session: AcmeSession, url: string): Promise<Challenge> {
  const sent: Post = { operation: 'answer challenge', url, payload: {} }
  return await request(session, sent, ({ body }) => {
    const [challenge] = readChallenge(readFields(body))
    if (!challenge) throw new MalformedResponse('type is none that can be answered')
    return challenge
  })
}

/** The account no longer has it: a certificate needs another validation (section 7.5.2). */
export async function deactivateAuthorization(session: AcmeSession, url: string): Promise<void> {
  const payload = { status: 'deactivated' }
  await post(session, { operation: 'deactivate authorization', url, payload })
}

/** Why an authorization is invalid: the problem of the challenge that failed. */
export function problemOfAuthorization({ challenges }: Authorization): ProblemDocument | undefined {
  return challenges.find(({ problem }) => problem)?.problem
}

function readAuthorization({ client }: AcmeSession, answer: HttpResponse, url: string) {
  const fields = readFields(answer.body)
  return {
    url,
    status: readEnum(fields, 'status', statuses),
    /** Lower case, without `*.`. */
    host: readText(asFields(fields.identifier, 'identifier'), 'value').toLowerCase(),
    isWildcard: fields.wildcard === true,
    expiresAt: readOptionalTimestamp(fields, 'expires'),
    /** Those that this client can answer. */
    challenges: readList(fields, 'challenges').flatMap((each) =>
      readChallenge(asFields(each, 'challenge')),
    ),
    /** When the authority wants to be polled again. */
    retryAt: readRetryAfter(answer.headers['retry-after'], client.now()),
  }
}

/** Empty for a type that this client cannot answer. */
function readChallenge(fields: Fields): Challenge[] {
  const type = challengeTypes.find((each) => each === fields.type)
  if (type === undefined) return []
  const token = readText(fields, 'token')
  // It becomes part of a path and of a response (section 8.3).
  if (!/^[A-Za-z0-9_-]+$/.test(token)) throw new MalformedResponse('token is not base64url')
  const status = readEnum(fields, 'status', challengeStatuses)
  return [{ type, token, url: readUrl(fields, 'url'), status, problem: readProblem(fields.error) }]
}
