// An order from start to end as the engine processes it: in steps, each of which starts with only what the step
// before it stored as JSON.
import { setTimeout as delay } from 'node:timers/promises'
import type { AcmeAccount, AcmeClient } from '#acme/requests/acme-client.ts'
import {
  type Authorization,
  answerChallenge,
  type ChallengeType,
  createChallengeCertificate,
  createOrder,
  downloadCertificate,
  finalizeOrder,
  getAuthorization,
  getOrder,
  keyAuthorization,
  type NewOrder,
  type Order,
  pollUntil,
  problemOfAuthorization,
} from '#acme/resources/orders.ts'
import { type CertificateWithKey, signRequest } from '#acme/x509/certificate.ts'
import { createKey } from '#acme/x509/keys.ts'
import type { AuthorityInTest } from './authority-in-test.ts'

/** What is stored between steps. */
export interface Progress {
  account: AcmeAccount
  requested: NewOrder
  by: ChallengeType
  step: Step
  order?: Order
  certificateKey?: string
  chain?: string
}

export const steps = ['order', 'answer', 'validate', 'finalize', 'collect', 'download'] as const
export type Step = (typeof steps)[number] | 'done'

const looking = {
  now: Date.now,
  wait: (ms: number, signal?: AbortSignal) => delay(ms, undefined, { signal }),
}

type Places = Pick<AuthorityInTest, 'tokens' | 'challengeCertificates'>

/** Runs one step and returns what to store. Throws when the authority refuses a host. */
export async function takeStep(
  client: AcmeClient,
  places: Places,
  stored: string,
): Promise<Progress> {
  const progress: Progress = JSON.parse(stored)
  const { account, order, step, requested } = progress
  if (step === 'order') {
    return { ...progress, order: await createOrder({ client, account }, requested), step: 'answer' }
  }
  if (!order) throw new Error('nothing was ordered')
  const authorizations = () =>
    Promise.all(order.authorizationUrls.map((url) => getAuthorization({ client, account }, url)))
  if (step === 'answer') {
    for (const authorization of await authorizations()) {
      await answer(client, places, progress, authorization)
    }
    return { ...progress, step: 'validate' }
  }
  if (step === 'validate') {
    for (const url of order.authorizationUrls) await untilValid(client, account, url)
    return { ...progress, step: 'finalize' }
  }
  if (step === 'finalize') {
    const certificateKey = progress.certificateKey ?? (await createKey())
    const request = signRequest(requested.hosts, certificateKey)
    const asked = await finalizeOrder({ client, account }, order, request)
    return { ...progress, certificateKey, order: asked, step: 'collect' }
  }
  if (step === 'collect') {
    const look = () => getOrder({ client, account }, order.url)
    const isSettled = ({ status }: Order) => status !== 'processing'
    const until = Date.now() + 15_000
    return {
      ...progress,
      order: await pollUntil(look, isSettled, { ...looking, until }),
      step: 'download',
    }
  }
  const chain = await downloadCertificate({ client, account }, order.certificateUrl ?? '')
  return { ...progress, chain, step: 'done' }
}

export function begin(
  account: AcmeAccount,
  requested: NewOrder,
  by: ChallengeType = 'http-01',
): Progress {
  return { account, requested, by, step: 'order' }
}

/** All steps with one client. */
export async function issue(
  client: AcmeClient,
  places: Places,
  begun: Progress,
): Promise<Progress & CertificateWithKey> {
  let progress = begun
  while (progress.step !== 'done') {
    progress = await takeStep(client, places, JSON.stringify(progress))
  }
  const { certificateKey = '', chain = '' } = progress
  return { ...progress, chain, key: certificateKey }
}

async function answer(
  client: AcmeClient,
  { challengeCertificates, tokens }: Places,
  { account, by }: Progress,
  { challenges, host, status }: Authorization,
): Promise<void> {
  if (status !== 'pending') return
  const challenge = challenges.find(({ type }) => type === by)
  if (!challenge) throw new Error(`${host} cannot be proven by ${by}`)
  // Already answered, by an earlier process.
  if (challenge.status !== 'pending') return
  const text = keyAuthorization(challenge.token, account.privateKey)
  if (by === 'http-01') tokens.set(challenge.token, text)
  else challengeCertificates.set(host, await createChallengeCertificate(host, text, Date.now()))
  await answerChallenge({ client, account }, challenge.url)
}

async function untilValid(client: AcmeClient, account: AcmeAccount, url: string): Promise<void> {
  const seen = await pollUntil(
    () => getAuthorization({ client, account }, url),
    ({ status }) => status !== 'pending',
    { ...looking, until: Date.now() + 15_000 },
  )
  if (seen.status === 'valid') return
  const problem = problemOfAuthorization(seen)
  throw new Error(`${seen.host} is ${seen.status}: ${problem?.type}: ${problem?.detail}`)
}
