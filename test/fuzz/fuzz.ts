// Sends requests that the OpenAPI document allows and that it forbids, many at a time, until one is
// answered as it should not be; then looks for the smallest such request.
import fc from 'fast-check'
import type { RunningStore } from '../running-store.ts'
import { readApiDocument } from './api-document.ts'
import { makeCredentials } from './credentials.ts'
import { followUps } from './follow-ups.ts'
import { createJudge } from './judge.ts'
import { type FuzzRequest, showRequest } from './request.ts'
import { fuzzRequests } from './requests.ts'
import { createSender, type FuzzAnswer } from './send.ts'
import type { Stock } from './targets.ts'

export interface FuzzResult {
  requests: number
  /** How often each status was answered. */
  statuses: Record<number, number>
  findings: string[]
}

const lanes = 16

/** `requests` in all, over `lanes` connections to each environment. */
export async function fuzz(
  store: RunningStore,
  seed: number,
  requests: number,
): Promise<FuzzResult> {
  const document = readApiDocument((await store.ask('/openapi.json')).json as object)
  const credentials = await makeCredentials(store)
  const stock = await fillStock(store)
  const judge = createJudge(document)
  const arbitrary = fuzzRequests(document, credentials, stock)
  const statuses: Record<number, number> = {}
  let sent = 0

  async function runLane(lane: number): Promise<string | undefined> {
    const sender = createSender(store.baseUrl)
    const ask = async (request: FuzzRequest): Promise<FuzzAnswer> => {
      sent++
      const answer = await sender.send(request)
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1
      const found = judge(request, answer)
      if (found.length === 0) return answer
      const shown = `${showRequest(request)}\n    ${answer.status} ${answer.text.slice(0, 300)}`
      throw new Error(`${found.join('; ')}\n${shown}`)
    }
    const check = async (request: FuzzRequest): Promise<void> => {
      let answer = await ask(request)
      for (const next of followUps(request, answer)) {
        const before = answer
        answer = await ask(next)
        const changed = next.expected.isSameBody && answer.text !== before.text
        if (changed) throw new Error(`not the same again: ${before.text} ${answer.text}`)
      }
    }
    const details = await fc.check(fc.asyncProperty(arbitrary, check), {
      seed: seed + lane,
      numRuns: Math.ceil(requests / lanes),
    })
    sender.close()
    if (!details.failed) return undefined
    const [request] = details.counterexample ?? []
    const thrown = (details.errorInstance as Error)?.message
    return `${thrown}\n  smallest that leads there:\n${request ? showRequest(request) : ''}`
  }

  const ran = await Promise.all(Array.from({ length: lanes }, (_, lane) => runLane(lane)))
  const findings = [...new Set(ran.filter((finding) => finding !== undefined))]
  return { requests: sent, statuses, findings: findings.slice(0, 5) }
}

/** Animals with the same first ids in both environments, and pages with a cursor. */
async function fillStock(store: RunningStore): Promise<Stock> {
  const count = 50
  for (let n = 1; n <= count; n++) {
    const status = ['available', 'pending', 'sold'][n % 3]
    await store.ask('/pets', { body: { name: `Animal ${n}`, categoryId: n, status } })
  }
  const pagesOf = async (asking: RunningStore['ask'], base: string): Promise<string[]> => {
    const targets: string[] = []
    for (const target of ['/pets?limit=7', '/pets?status=sold&limit=3', '/pets?id=3,1,5&limit=1']) {
      const { headers } = await asking(target)
      const next = /<([^>]+)>; rel="next"/.exec(headers.link ?? '')?.[1]
      if (next === undefined) throw new Error(`${target} has no next page`)
      targets.push(next.slice(base.length))
    }
    return targets
  }
  const pages = {
    production: await pagesOf(store.ask, store.baseUrl.production),
    staging: await pagesOf(store.askStaging, store.baseUrl.staging),
  }
  return { count, pages }
}
