// Sends requests that the OpenAPI document allows and that it forbids, many at a time, until one is
// answered as it should not be; then looks for the smallest such request.
import fc from 'fast-check'
import type { RunningStore } from '../running-store.ts'
import { readApiDocument } from './api-document.ts'
import { audit, takeSnapshot } from './audit.ts'
import type { Lane } from './choices.ts'
import { type Credentials, makeCredentials } from './credentials.ts'
import { followUps } from './follow-ups.ts'
import { createJudge } from './judge.ts'
import { type FuzzRequest, sentField, showRequest } from './request.ts'
import { type Draft, fuzzRequests } from './requests.ts'
import { createSender, type FuzzAnswer } from './send.ts'
import { fillStock } from './stock.ts'
import { createWorld } from './world.ts'

export interface FuzzResult {
  requests: number
  /** How often each status was answered. */
  statuses: Record<number, number>
  /** How often each operation of the document succeeded. */
  successes: Record<string, number>
  findings: string[]
}

const lanes = 16
/** So many attempts to find a smaller request; then the smallest so far has to do. */
const maxAttempts = 200
const maxKept = 30

/** `requests` in all, over `lanes` connections to each environment. */
export async function fuzz(
  store: RunningStore,
  seed: number,
  requests: number,
): Promise<FuzzResult> {
  const document = readApiDocument((await store.ask('/openapi.json')).json as object)
  const credentials = await makeCredentials(store)
  const pages = await fillStock(store)
  const judge = createJudge(document)
  const arbitrary = fuzzRequests(document, credentials, pages)
  const statuses: Record<number, number> = {}
  const successes = Object.fromEntries(document.operations.map(({ id }) => [id, 0]))
  const all: Lane[] = []
  let sent = 0
  const before = {
    production: await takeSnapshot(store.ask),
    staging: await takeSnapshot(store.askStaging),
  }

  async function runLane(lane: Lane, number: number): Promise<string | undefined> {
    const sender = createSender(store.baseUrl)
    lane.ask = async (request: FuzzRequest): Promise<FuzzAnswer> => {
      sent++
      const answer = await sender.send(request).catch((cause: Error) => {
        throw new Error(`${cause.message}\n${showRequest(request)}`, { cause })
      })
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1
      const found = judge(request, answer)
      const { operation } = request.expected
      if (operation !== undefined && answer.status < 300) {
        successes[operation] = (successes[operation] ?? 0) + 1
      }
      if (found.length === 0) return answer
      const shown = `${showRequest(request)}\n    ${answer.status} ${answer.text.slice(0, 300)}`
      throw new Error(`${found.join('; ')}\n${shown}`)
    }
    let first: string | undefined
    let attempts = 0
    const check = async (draft: Draft): Promise<void> => {
      if (first !== undefined && ++attempts > maxAttempts) return
      try {
        await checkOne(lane, draft)
      } catch (error) {
        first ??= (error as Error).message
        throw error
      }
    }
    const details = await fc.check(fc.asyncProperty(arbitrary, check), {
      seed: seed + number,
      numRuns: Math.ceil(requests / lanes),
    })
    sender.close()
    if (!details.failed) return undefined
    const smallest = (details.errorInstance as Error)?.message
    return smallest === first ? first : `${first}\n  smallest that was found then: ${smallest}`
  }

  for (let number = 0; number < lanes; number++) all.push(createLane(credentials, store.clock.now))
  const ran = await Promise.all(all.map(runLane))
  const findings = [...new Set(ran.filter((finding) => finding !== undefined))]
  if (findings.length === 0) {
    findings.push(...(await audit(store.ask, 'production', before.production, all)))
    findings.push(...(await audit(store.askStaging, 'staging', before.staging, all)))
  }
  return { requests: sent, statuses, successes, findings: findings.slice(0, 5) }
}

/** The request, and what can be asked only after it. */
async function checkOne(lane: Lane, draft: Draft): Promise<void> {
  const { request, learn } = await draft(lane)
  const answer = await lane.ask(request)
  learn?.(answer)
  for (const next of followUps(request, answer, lane)) await lane.ask(next)
  const { expected } = request
  const isKept = learn && expected.status < 300 && sentField(request, 'idempotency-key')
  if (isKept && request.method !== 'GET' && !/dryRun=/.test(request.target)) {
    lane.kept.push({ request, text: answer.text })
    if (lane.kept.length > maxKept) lane.kept.shift()
  }
}

function createLane(credentials: Credentials, now: number): Lane {
  return {
    worlds: { production: createWorld('production', now), staging: createWorld('staging', now) },
    keys: { production: credentials.production.whole, staging: credentials.staging.whole },
    kept: [],
    ask: () => Promise.reject(new Error('this lane is not open')),
  }
}
