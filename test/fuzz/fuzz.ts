// Sends requests that the OpenAPI document allows or forbids, over many connections, until a response is wrong; at the end
// compares what is stored with the models.
import { createHash } from 'node:crypto'
import { createRandom } from '../random.ts'
import type { RunningStore } from '../running-store.ts'
import { readApiDocument } from './api-document.ts'
import { audit, takeSnapshot } from './audit.ts'
import type { Lane } from './choices.ts'
import { followUps } from './follow-ups.ts'
import { createJudge } from './judge.ts'
import { createModel } from './model.ts'
import { type FuzzRequest, formatRequest } from './request.ts'
import { prepareRequest } from './requests.ts'
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

/** `requests` is the total, over `lanes` connections to each environment; every second one is of HTTP/2. */
export async function fuzz(
  store: RunningStore,
  seed: number,
  requests: number,
  http2Port: number,
): Promise<FuzzResult> {
  const document = readApiDocument((await store.ask('/openapi.json')).json as object)
  // test/transfer has the files that an import accepts and refuses.
  document.operations = document.operations.filter(({ id }) => id !== 'importPets')
  const judge = createJudge(document)
  const statuses: Record<number, number> = {}
  const successes = Object.fromEntries(document.operations.map(({ id }) => [id, 0]))
  let sent = 0
  const before = {
    production: await takeSnapshot(store.ask),
    staging: await takeSnapshot(store.askStaging),
  }

  async function runLane(lane: Lane, number: number): Promise<string | undefined> {
    const random = createRandom(laneSeed(seed, number))
    const sender = createSender(store.baseUrl, number % 2 === 1 ? http2Port : undefined)
    lane.send = async (request: FuzzRequest): Promise<FuzzResponse> => {
      sent++
      const response = await sender.send(request).catch((cause: Error) => {
        throw new Error(`${cause.message}\n${formatRequest(request)}`, { cause })
      })
      statuses[response.status] = (statuses[response.status] ?? 0) + 1
      const found = judge(request, response)
      const { operation } = request.expected
      if (response.status < 300) successes[operation] = (successes[operation] ?? 0) + 1
      if (found.length === 0) return response
      const details = `${formatRequest(request)}\n    ${response.status} ${response.text.slice(0, 300)}`
      throw new Error(`${found.join('; ')}\n${details}`)
    }
    try {
      for (let i = 0; i < requests / lanes; i++) {
        const environment = random.pick(['production', 'staging'] as const)
        const { request, updateModel } = await prepareRequest(document, lane, environment, random)
        const response = await lane.send(request)
        updateModel?.(response)
        for (const next of followUps(request, response)) await lane.send(next)
      }
      return undefined
    } catch (error) {
      return (error as Error).message
    } finally {
      sender.close()
    }
  }

  const now = store.clock.now
  const all: Lane[] = Array.from({ length: lanes }, () => ({
    models: { production: createModel('production', now), staging: createModel('staging', now) },
    keys: store.keys,
    send: () => Promise.reject(new Error('the lane is not running')),
  }))
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
