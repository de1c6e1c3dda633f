// The checks of an installation, for `animal-store doctor` and the System page, all run in bounded time.

import { within } from '#kit/promises.ts'
import { type Finding, findingsOf, type SystemChecks } from '#kit/system/schema.ts'

export interface SystemCheck {
  area: Finding['area']
  /** What it throws becomes a problem. It gives up when `signal` aborts. */
  run(signal: AbortSignal): Promise<Finding[]> | Finding[]
}

/** Of each check; all run at the same time. */
const maxCheckMs = 10_000

/** Runs all checks, within `maxMs` and a little. Findings are in the order of the checks. Never throws. */
export async function runSystemChecks(
  checks: readonly SystemCheck[],
  now: number,
  maxMs = maxCheckMs,
): Promise<SystemChecks> {
  const started = performance.now()
  const found = await Promise.all(checks.map((check) => runInTime(check, maxMs)))
  const findings = found.flat()
  return {
    ranAt: new Date(now).toISOString(),
    milliseconds: Math.round(performance.now() - started),
    status: worstOf(findings),
    findings,
  }
}

function worstOf(findings: Finding[]): SystemChecks['status'] {
  const has = (status: Finding['status']) => findings.some((each) => each.status === status)
  if (has('problem')) return 'problem'
  return has('warning') ? 'warning' : 'ok'
}

async function runInTime({ area, run }: SystemCheck, maxMs: number): Promise<Finding[]> {
  const late = new AbortController()
  const { problem } = findingsOf(area)
  try {
    return await within(maxMs, Promise.resolve(run(late.signal)), () => {
      late.abort()
      const message = `The check was not finished within ${maxMs / 1000} seconds.`
      const fix = 'Run it again. If it happens again, look at the load and the network.'
      return [problem('', message, fix)]
    })
  } catch (error) {
    const { code, name } = error as { code?: unknown; name?: unknown }
    const message = `The check failed (${String(code ?? name)}).`
    return [problem('', message, 'Report this with the version of the program.')]
  }
}
