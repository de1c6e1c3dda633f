// Sends requests that the OpenAPI document allows or forbids, over many connections, until a response is wrong; then
// searches for the smallest request with that fault.
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import type { RunningStore } from '../running-store.ts'
import { readApiDocument } from './api-document.ts'
import { audit, takeSnapshot } from './audit.ts'
import type { Lane } from './choices.ts'
import { type Credentials, createCredentials } from './credentials.ts'
import { followUps } from './follow-ups.ts'
import { createInitialRecords } from './initial-records.ts'
import { createJudge } from './judge.ts'
import { createModel } from './model.ts'
import { type FuzzRequest, findSentHeader, formatRequest } from './request.ts'
import { type Draft, fuzzRequests } from './requests.ts'
import { createSender, type FuzzResponse } from './send.ts'

export interface FuzzResult {
  requests: number
  /** The number of responses by status. */
  statuses: Record<number, number>
  /** The number of successful requests by operation of the document. */
  successes: Record<string, number>
  findings: string[]
}

const lanes = 16
/** Attempts to find a smaller request. */
const maxShrinkAttempts = 200
const maxReplayable = 30

/**
 * `requests` is the total, over `lanes` connections to each environment; every second one is of HTTP/2 if there is an
 * `http2Port`.
 */
export async function fuzz(
  store: RunningStore,
  seed: number,
  requests: number,
  http2Port?: number,
): Promise<FuzzResult> {
  const document = readApiDocument((await store.ask('/openapi.json')).json as object)
  const credentials = await createCredentials(store)
  const pages = await createInitialRecords(store)
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
    const sender = createSender(store.baseUrl, number % 2 === 1 ? http2Port : undefined)
    lane.send = async (request: FuzzRequest): Promise<FuzzResponse> => {
      sent++
      const response = await sender.send(request).catch((cause: Error) => {
        throw new Error(`${cause.message}\n${formatRequest(request)}`, { cause })
      })
      statuses[response.status] = (statuses[response.status] ?? 0) + 1
      const found = judge(request, response)
      const { operation } = request.expected
      if (operation !== undefined && response.status < 300) {
        successes[operation] = (successes[operation] ?? 0) + 1
      }
      if (found.length === 0) return response
      const details = `${formatRequest(request)}\n    ${response.status} ${response.text.slice(0, 300)}`
      throw new Error(`${found.join('; ')}\n${details}`)
    }
    let first: string | undefined
    let attempts = 0
    const check = async (draft: Draft): Promise<void> => {
      if (first !== undefined && ++attempts > maxShrinkAttempts) return
      try {
        await checkOne(lane, draft)
      } catch (error) {
        first ??= (error as Error).message
        throw error
      }
    }
    const outcome = await fc.check(fc.asyncProperty(arbitrary, check), {
      seed: laneSeed(seed, number),
      numRuns: Math.ceil(requests / lanes),
    })
    sender.close()
    if (!outcome.failed) return undefined
    const smallest = (outcome.errorInstance as Error)?.message
    return smallest === first ? first : `${first}\n  smallest request with a fault: ${smallest}`
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

/** Neighbouring seeds generate similar requests: a hash separates them. */
function laneSeed(seed: number, number: number): number {
  return createHash('sha256').update(`${seed} ${number}`).digest().readInt32BE()
}

/** Sends the request and its follow-ups. */
async function checkOne(lane: Lane, draft: Draft): Promise<void> {
  const { request, updateModel } = await draft(lane)
  const response = await lane.send(request)
  updateModel?.(response)
  for (const next of followUps(request, response, lane)) await lane.send(next)
  const { expected } = request
  const isReplayable =
    updateModel && expected.status < 300 && findSentHeader(request, 'idempotency-key')
  if (isReplayable && request.method !== 'GET' && !/dryRun=/.test(request.target)) {
    lane.replayable.push({ request, text: response.text })
    if (lane.replayable.length > maxReplayable) lane.replayable.shift()
  }
}

function createLane(credentials: Credentials, now: number): Lane {
  return {
    models: { production: createModel('production', now), staging: createModel('staging', now) },
    keys: {
      production: credentials.production.fullAccess,
      staging: credentials.staging.fullAccess,
    },
    replayable: [],
    send: () => Promise.reject(new Error('the lane is not running')),
  }
}
