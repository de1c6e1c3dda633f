// Builds deploys beside the requests, one at a time in each process. It looks for work when a deploy was
// made here, and every few seconds for what others left.
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Logger } from '../../platform/log.ts'
import { DeployFailure } from '../site-files/deploy-failure.ts'
import { buildDeploy } from './build-deploy.ts'
import {
  type Claim,
  claiming,
  extension,
  LostClaim,
  leaseMs,
  nextToBuild,
  releasing,
} from './claims.ts'
import { failing } from './finish-deploy.ts'
import { removeBuilt } from './site-files.ts'
import { sweepRemoved } from './sweep.ts'

const lookEveryMs = 2_000
const maxAttempts = 4
const ourFault =
  'Something went wrong on our side while this was built. Deploy again; if it stays, tell the operator.'

export interface Builder {
  /** There may be something to build, or to sweep away. */
  wake(): void
  /** Takes nothing more; what is being built is given up, and goes on elsewhere or after the next start. */
  stop(): Promise<void>
}

/** `onBuilt` hears of each deploy that has ended here. */
export function startBuilder(
  database: Database,
  clock: Clock,
  log: Logger,
  onBuilt: (result: 'live' | 'failed') => void = () => {},
): Builder {
  const stopping = new AbortController()
  let wakeUp: () => void = () => {}
  let isAwake = true
  let sweeps = true

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      isAwake = false
      try {
        while (!stopping.signal.aborted && (await buildNext()));
        if (sweeps) {
          sweeps = false
          await sweepRemoved(database)
        }
      } catch (error) {
        // A database that is silent now will answer again.
        log.warn({ err: error }, 'building deploys failed; tried again in a while')
      }
      if (!isAwake && !stopping.signal.aborted) await nextLook()
    }
  }

  async function nextLook(): Promise<void> {
    const woken = new Promise<void>((resolve) => {
      wakeUp = resolve
    })
    const looked = new AbortController()
    const later = delay(lookEveryMs, undefined, { ref: false, signal: looked.signal })
    await Promise.race([woken, later.catch(() => {})])
    looked.abort()
  }

  /** False when there was nothing to build. */
  async function buildNext(): Promise<boolean> {
    const now = clock()
    if ((await database.read.all(nextToBuild, { now })).length === 0) return false
    const claim = await database.write(claiming, { lease: randomUUID(), now })
    if (!claim) return false
    const { attempts, number, projectId } = claim
    const lost = new AbortController()
    const heartbeat = setInterval(() => void keep(claim, lost), leaseMs / 3)
    heartbeat.unref()
    try {
      if (attempts > maxAttempts) throw new DeployFailure(ourFault)
      await buildDeploy(database, clock, claim, AbortSignal.any([lost.signal, stopping.signal]))
      log.info({ projectId, number }, 'deploy is live')
      onBuilt('live')
      sweeps = true
    } catch (error) {
      await end(claim, error).catch((thrown) => {
        // Removed, or taken over, just now.
        if (!(thrown instanceof LostClaim)) throw thrown
      })
    } finally {
      clearInterval(heartbeat)
    }
    return true
  }

  async function keep(claim: Claim, lost: AbortController): Promise<void> {
    // Without an answer nothing is known; the next one comes before the lease lapses.
    const isOurs = await database.write(extension, { claim, now: clock() }).catch(() => true)
    if (!isOurs) lost.abort(new LostClaim())
  }

  async function end(claim: Claim, error: unknown): Promise<void> {
    const { number, projectId } = claim
    if (error instanceof LostClaim || stopping.signal.aborted) {
      log.info({ projectId, number }, 'a deploy was given up')
      return await database.write(releasing, { claim, counts: false, now: clock() })
    }
    const isTheirs = error instanceof DeployFailure
    if (!isTheirs) {
      log.error({ projectId, number, err: error }, 'building a deploy failed')
      if (claim.attempts < maxAttempts) {
        return await database.write(releasing, { claim, counts: true, now: clock() })
      }
    }
    const failure = isTheirs ? error : new DeployFailure(ourFault)
    await removeBuilt(database, claim)
    await database.write(failing, { claim, failure, now: clock() })
    onBuilt('failed')
    sweeps = true
  }

  const running = run()
  return {
    wake() {
      isAwake = true
      sweeps = true
      wakeUp()
    },
    async stop() {
      stopping.abort(new LostClaim())
      wakeUp()
      await running
    },
  }
}
