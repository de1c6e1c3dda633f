// An engine is killed at each of its writes and another one resumes, with the authority's state and without a second
// order where the first one is known.
import { beforeEach, describe, expect, it } from 'vitest'
import type { Database } from '#kit/database/database.ts'
import { shared } from '../shared.ts'
import { loseOwnership, type Subject, startEngineWorld } from './engine-in-test.ts'

const world = shared(() => startEngineWorld())
beforeEach(() => world.reset())

class Killed extends Error {}

/** Is killed before or after its nth write: all later reads and writes fail. */
function killable(database: Database, at: number, when: 'before' | 'after') {
  const progress = { writes: 0, isOver: false }
  const assertAlive = (): void => {
    if (progress.isOver) throw new Killed('killed')
  }
  const killableDatabase: Database = {
    ...database,
    read: {
      all(query, params) {
        assertAlive()
        return database.read.all(query, params)
      },
      tuples: database.read.tuples,
    },
    async write(work, input) {
      assertAlive()
      progress.writes++
      if (progress.writes === at && when === 'before') progress.isOver = true
      assertAlive()
      const outcome = await database.write(work, input)
      if (progress.writes === at) progress.isOver = true
      assertAlive()
      return outcome
    },
  }
  return { killableDatabase, progress }
}

async function killAt(
  subject: Subject,
  at: number,
  when: 'before' | 'after',
): Promise<{ wasKilled: boolean; step: string | undefined }> {
  const { progress, killableDatabase } = killable(world.database, at, when)
  const killedEngine = world.startEngine({ database: killableDatabase })
  await killedEngine.processCertificate(subject).catch((error) => {
    if (!(error instanceof Killed)) throw error
  })
  const { orders } = await world.rows()
  const order = orders.find(({ domain_id }) => domain_id === subject.id)
  return { wasKilled: progress.isOver, step: order?.step }
}

describe.each(['after', 'before'] as const)('an engine that is killed %s a write', (when) => {
  it('is followed by another one that resumes at every step', async () => {
    const steps = new Set<string | undefined>()
    const another = world.startEngine()
    // The account exists: these are the writes for one certificate.
    await another.settle(await world.subject())
    let writes = 0
    for (let at = 1; at <= 30; at++) {
      const subject = await world.subject()
      world.faults.asked.length = 0
      const { step, wasKilled } = await killAt(subject, at, when)
      if (!wasKilled) break
      writes = at
      steps.add(step)
      const { state } = await another.settle(subject)
      expect([at, state.certificate, state.failures]).toEqual([at, 'issued', 0])
      expect(await world.certificatesOf(subject)).toHaveLength(1)
      expect((await world.rows()).orders).toEqual([])
      const asked = world.asked()
      const count = (line: string) => asked.filter((each) => each === line).length
      // An order that was created but not stored cannot be known.
      const isUnknown = when === 'before' && step === 'new' && count('POST order-plz') === 2
      expect([at, count('POST order-plz')]).toEqual([at, isUnknown ? 2 : 1])
      expect([at, count('POST finalize-order')]).toEqual([at, 1])
    }
    expect(writes).toBeGreaterThan(6)
    const expected = ['new', 'ordered', 'answered', 'ready']
    expect([...steps]).toEqual(expect.arrayContaining(expected))
    if (when === 'after') expect(steps).toContain('finalized')
  })
})

it('the order of a domain ends when another account proves the host, whatever its challenge', async () => {
  const subject = await world.subject()
  expect((await killAt(subject, 4, 'after')).step).toBe('ordered')
  await loseOwnership(world.database, { id: subject.id, at: world.clock.now })
  expect((await world.rows()).orders).toEqual([])
})

it('the response to a challenge is stored before the authority is asked to validate', async () => {
  const subject = await world.subject()
  const engine = world.startEngine()
  const tokens: string[] = []
  const shown: Promise<string | undefined>[] = []
  world.faults.faultFor = (_method, path) => {
    if (path.startsWith('/authZ')) {
      return {
        kind: 'changed',
        change(authorization) {
          const challenges = authorization.challenges as { type: string; token: string }[]
          for (const { token, type } of challenges) if (type === 'http-01') tokens.push(token)
          return authorization
        },
      }
    }
    if (!path.startsWith('/chalZ')) return undefined
    // As the authority does as soon as it is asked.
    const asked = engine.certificates.keyAuthorizationFor(subject.host, tokens[0] ?? '')
    shown.push(asked)
    return { kind: 'late', after: asked }
  }
  await engine.settle(subject)
  expect(shown).toHaveLength(1)
  expect(await shown[0]).toMatch(new RegExp(`^${tokens[0]}\\.[\\w-]{43}$`))
  // Afterwards it is no longer available.
  const after = await engine.certificates.keyAuthorizationFor(subject.host, tokens[0] ?? '')
  expect(after).toBeUndefined()
})

it('an engine that has lost the lease writes nothing', async () => {
  const subject = await world.subject()
  const slow = world.startEngine()
  const quick = world.startEngine()
  let release = (): void => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  let isHeld = false
  const reached = new Promise<void>((resolve) => {
    world.faults.faultFor = (_method, path) => {
      if (isHeld || !path.startsWith('/finalize')) return undefined
      isHeld = true
      resolve()
      return { kind: 'late', after: held }
    }
  })
  const lost = slow.processCertificate(subject)
  await reached
  const { state } = await quick.settle(subject)
  expect(state.certificate).toBe('issued')
  const before = await world.rows()
  release()
  await expect(lost).rejects.toMatchObject({ name: 'LeaseLostError' })
  expect(await world.rows()).toEqual(before)
  expect((await world.get(subject.id)).state).toEqual(state)
})
