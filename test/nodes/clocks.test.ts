// Nodes whose clocks differ from that of their PostgreSQL.
import { describe, expect, it, onTestFinished } from 'vitest'
import { createTestDatabase, engines } from '../database.ts'
import { type Answer, ask } from '../running-store.ts'
import { type ServedProcess, serveProcess } from '../served-process.ts'
import { shiftedClock } from './shifted-clock.ts'

async function serveShifted(byMs: number): Promise<ServedProcess> {
  const place = await createTestDatabase('postgres')
  onTestFinished(() => place.release())
  const served = await serveProcess(place, shiftedClock(byMs))
  onTestFinished(() => served.end('SIGKILL').then(() => {}))
  return served
}

const get = ({ port }: ServedProcess, path: string): Promise<Answer> =>
  ask(port, new URL(`http://localhost:${port}`), '', path, { key: null })

/** What the process measured, in seconds. */
async function readSkew(served: ServedProcess): Promise<number> {
  const { text } = await get(served, 'metrics')
  return Number(/^animal_store_clock_skew_seconds (\S+)$/m.exec(text)?.[1])
}

describe.runIf(engines.includes('postgres'))('a clock that differs from the database', () => {
  it('by nothing that can be told: no line in the log', async () => {
    const served = await serveShifted(0)
    expect((await get(served, 'readyz')).status).toBe(200)
    expect(await readSkew(served)).toBe(0)
    expect(served.log()).not.toContain('the clock of this machine')
  })

  it('by 5 s: it is logged and measured, and the process is ready', async () => {
    const served = await serveShifted(-5_000)
    expect((await get(served, 'readyz')).status).toBe(200)
    expect(served.log()).toMatch(/the clock of this machine is [45](\.\d)? s behind the database's/)
    expect(Math.round(await readSkew(served))).toBe(-5)
  })

  it('by ten minutes: the process is not ready', async () => {
    const served = await serveShifted(600_000)
    expect((await get(served, 'readyz')).status).toBe(503)
    expect(served.log()).toMatch(/s ahead of the database's: this process is not ready/)
    expect(Math.round((await readSkew(served)) / 10)).toBe(60)
  })
})
