// An order from start to end, without the engine: every challenge answered, then the certificate downloaded.
import { setTimeout as delay } from 'node:timers/promises'
import type { AcmeSession } from '#acme/requests/acme-client.ts'
import {
  answerChallenge,
  type ChallengeType,
  createChallengeCertificate,
  createOrder,
  downloadCertificate,
  finalizeOrder,
  getAuthorization,
  getOrder,
  keyAuthorization,
  pollUntil,
  problemOfAuthorization,
} from '#acme/resources/orders.ts'
import { type CertificateWithKey, signRequest } from '#acme/x509/certificate.ts'
import { createKey } from '#acme/x509/keys.ts'
import type { Places } from './authority-in-test.ts'

const polling = {
  now: Date.now,
  wait: (ms: number, signal?: AbortSignal) => delay(ms, undefined, { signal }),
  withinMs: 15_000,
}

/** Throws when the authority refuses a host. */
export async function issue(
  session: AcmeSession,
  places: Places,
  host: string,
  by: ChallengeType = 'http-01',
): Promise<CertificateWithKey> {
  const order = await createOrder(session, { hosts: [host] })
  for (const url of order.authorizationUrls) await prove(session, places, url, by)
  const key = await createKey()
  await finalizeOrder(session, order, signRequest([host], key))
  const { certificateUrl = '' } = await pollUntil(
    () => getOrder(session, order.url),
    ({ status }) => status !== 'processing',
    polling,
  )
  return { chain: await downloadCertificate(session, certificateUrl), key }
}

async function prove(
  session: AcmeSession,
  { challengeCertificates, tokens }: Places,
  url: string,
  by: ChallengeType,
): Promise<void> {
  const { challenges, host, status } = await getAuthorization(session, url)
  const challenge = challenges.find(({ type }) => type === by)
  if (!challenge) throw new Error(`${host} cannot be proven by ${by}`)
  const text = keyAuthorization(challenge.token, session.account.privateKey)
  if (by === 'http-01') tokens.set(challenge.token, text)
  else challengeCertificates.set(host, await createChallengeCertificate(host, text, Date.now()))
  if (status === 'pending') await answerChallenge(session, challenge.url)
  const seen = await pollUntil(
    () => getAuthorization(session, url),
    (authorization) => authorization.status !== 'pending',
    polling,
  )
  if (seen.status === 'valid') return
  const problem = problemOfAuthorization(seen)
  throw new Error(`${host} is ${seen.status}: ${problem?.type}: ${problem?.detail}`)
}
