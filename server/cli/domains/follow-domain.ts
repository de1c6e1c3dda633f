// domains add and verify with --wait: the steps of a domain as they are taken, until it is active, its owner
// has something to do, or the time is up.
import { setTimeout as delay } from 'node:timers/promises'
import type { Domain } from '../../publishing/domains/api/schema.ts'
import { badges } from '../../publishing/domains/state/badge.ts'
import { type Input, UsageError } from '../command-line/command.ts'
import { createLiveLines } from '../command-line/live-lines.ts'
import { readSpan } from '../command-line/read-span.ts'
import { type DomainStep, domainSteps, stepsAsLines } from './domain-steps.ts'
import { standardWait } from './domains-options.ts'
import type { Call } from './on-domains.ts'
import { textOptions } from './text-options.ts'
import { type WaitResult, waitForDomain } from './wait-for-domain.ts'

/** Undefined unless it is to be waited. Throws a UsageError. */
export function waitMsOf({ options }: Pick<Input, 'options'>): number | undefined {
  const { timeout, wait } = options
  if (wait === undefined) {
    if (timeout !== undefined) throw new UsageError('--timeout needs --wait')
    return undefined
  }
  const ms = readSpan(timeout ?? standardWait)
  if (ms === undefined) throw new UsageError('--timeout accepts a span such as 10m or 48h')
  return ms
}

/** On standard output: with --json a line for each change, else the steps. */
export async function followDomain(
  call: Call,
  domain: Domain,
  { json, timeoutMs }: { json: boolean; timeoutMs: number },
): Promise<WaitResult> {
  const lines = createLiveLines(process.stdout)
  const options = textOptions()
  let last = ''
  const found = await waitForDomain(call, domain, {
    timeoutMs,
    now: () => performance.now(),
    wait: delay,
    onLook(seen) {
      if (!json) {
        const steps = domainSteps(seen, options.formatTime)
        lines.show(stepsAsLines(process.stdout.isTTY ? steps : steps.flatMap(taken), options))
        return
      }
      const news = JSON.stringify(withoutTimes(seen))
      if (news !== last) process.stdout.write(`${JSON.stringify(seen)}\n`)
      last = news
    },
  })
  const { badge, host } = found.domain
  if (found.result === 'late') {
    process.stderr.write(
      `animal-store: ${host} is not active yet: ${badges[badge]}. It goes on by itself; look again with domains verify.\n`,
    )
  }
  return found
}

/** Where nothing is drawn over again: what is only to come, and how long it takes so far, is left out. */
function taken(step: DomainStep): DomainStep[] {
  if (step.state === 'waiting') return []
  return [step.state === 'running' ? { ...step, elapsedMs: null } : step]
}

/** What passes with every look is no change. */
function withoutTimes({ certificate, check: _, checkedAt: __, ...rest }: Domain): object {
  const steps = certificate.steps.map(({ state, step }) => ({ state, step }))
  return { ...rest, certificate: { ...certificate, steps } }
}
