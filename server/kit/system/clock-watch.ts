// Compares the clock of this machine with the database server's, which all nodes share. Leases, webhooks and the validity
// of keys depend on it: a node that is far off must not serve.
import type { Database } from '../database/database.ts'
import { readClockSkewMs } from '../database/read-clock.ts'
import { startPollLoop } from '../jobs/poll-loop.ts'
import type { Logger } from '../log.ts'
import type { Metrics } from '../metrics.ts'

/** From here on the difference is logged. */
export const maxQuietSkewMs = 2_000
/** From here on the process is not ready, and claims no work. */
export const maxSkewMs = 30_000
const compareEveryMs = 10_000

type Verdict = 'right' | 'off' | 'unusable'

const verdictOf = (skewMs: number): Verdict => {
  if (skewMs >= maxSkewMs) return 'unusable'
  return skewMs >= maxQuietSkewMs ? 'off' : 'right'
}

/** Resolves after the first comparison. On SQLite there is one clock, and nothing to compare. */
export async function watchClock(
  database: Database,
  metrics: Pick<Metrics, 'setClockSkew'>,
  log: Logger,
) {
  let verdict: Verdict = 'right'
  if (database.clock) return { isUsable: () => true, stop: async () => {} }

  async function compare(): Promise<void> {
    const aheadMs = await readClockSkewMs(database)
    metrics.setClockSkew(aheadMs / 1000)
    const before = verdict
    verdict = verdictOf(Math.abs(aheadMs))
    if (verdict === before) return
    const seconds = Math.round(Math.abs(aheadMs) / 100) / 10
    const fields = { aheadSeconds: aheadMs / 1000, maxSeconds: maxSkewMs / 1000 }
    const difference = `the clock of this machine is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the database's`
    if (verdict === 'unusable')
      log.error(
        { event: 'clock.unusable', ...fields },
        `${difference}: this process is not ready until it is set right`,
      )
    else if (verdict === 'off')
      log.warn({ event: 'clock.off', ...fields }, `${difference}: set it right, such as by NTP`)
    else
      log.info(
        { event: 'clock.right', ...fields },
        'the clock of this machine agrees with that of the database',
      )
  }

  const loop = startPollLoop({
    name: 'comparing the clock with that of the database',
    log,
    intervalMs: compareEveryMs,
    poll: compare,
  })
  await loop.runNow()
  return {
    /** Whether the clock was close enough to the database's when they were last compared. */
    isUsable: () => verdict !== 'unusable',
    stop: loop.stop,
  }
}
