// Follows the aliases of a question, answer by answer, until there are records, nothing, a failure or a loop.
// Who is asked is the caller's affair.
import type { DnsAnswer, DnsRecord, Question } from '../messages/exchange.ts'
import { negativeTtlSeconds } from '../name-servers/name-facts.ts'
import { aliasesIn, faultOf, type Resolution } from './resolution.ts'

/** `failure`: there is no answer at all. `not-asked`: there was nothing left to ask with. */
export type AskName = (question: Question) => Promise<DnsAnswer | 'failure' | 'not-asked'>

export async function follow(question: Question, askName: AskName): Promise<Resolution> {
  const found: Resolution = {
    outcome: 'failure',
    rcode: 'failure',
    records: [],
    chain: [],
    end: question.name,
    fault: undefined,
    ttlSeconds: undefined,
  }
  while (true) {
    const answer = await askName({ name: found.end, type: question.type })
    if (typeof answer === 'string') return { ...found, rcode: answer }
    found.rcode = answer.rcode
    const links = aliasesIn(answer, found.end)
    for (const { from, to, ttlSeconds } of links) {
      found.chain.push({ from, to })
      found.end = to
      found.ttlSeconds = least(found.ttlSeconds, ttlSeconds)
      found.fault = faultOf(found.chain)
      if (found.fault) return found
    }
    if (answer.rcode !== 'NOERROR' && answer.rcode !== 'NXDOMAIN') return found
    const records = answer.answers.filter(
      (record) => record.name === found.end && record.type === question.type,
    )
    if (records.length > 0) return withRecords(found, records)
    const negativeTtl = negativeTtlSeconds(answer)
    // An alias alone, without "and there it ends": its target has to be asked for.
    if (links.length > 0 && negativeTtl === undefined && answer.rcode === 'NOERROR') continue
    if (links.length > 0 && answer.isAuthoritative && !answer.offersRecursion) continue
    return { ...found, outcome: 'nothing', ttlSeconds: least(found.ttlSeconds, negativeTtl) }
  }
}

function withRecords(found: Resolution, records: DnsRecord[]): Resolution {
  const ttlSeconds = Math.min(...records.map((record) => record.ttlSeconds))
  return { ...found, outcome: 'records', records, ttlSeconds: least(found.ttlSeconds, ttlSeconds) }
}

function least(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return Math.min(a, b)
}
