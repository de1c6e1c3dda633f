// The short form of npm run chaos: two nodes in this process, on the PostgreSQL of the run behind links instead of a
// cluster under Patroni. The network between the nodes and the database is cut, silenced and slowed down under load, and
// sessions are ended as in a failover; then every acknowledged operation is compared with what is stored.
// In npm test: test/faults/commit-outcome.test.ts.
import { describe, expect, it, onTestFinished } from 'vitest'
import { createTestDatabase, engines } from '../database.ts'
import { connectTo } from '../nodes/postgres-client.ts'
import { ask, type RunningStore, startStore } from '../running-store.ts'
import { startCheckedLoad } from './checked-load.ts'
import { type Link, openLink } from './link.ts'

const betweenFaults = 60

interface LinkedNode {
  link: Link
  store: RunningStore
  port: number
}

async function startNodes() {
  const place = await createTestDatabase('postgres')
  const nodes: LinkedNode[] = []
  onTestFinished(async () => {
    for (const { link, store } of nodes) {
      link.set('open')
      await store.release()
      await link.close()
    }
    await place.release()
  })
  const target = Number(new URL(place.databaseUrl as string).port)
  while (nodes.length < 2) {
    const link = await openLink(() => target)
    const url = new URL(place.databaseUrl as string)
    url.host = `127.0.0.1:${link.port}`
    // The program's own time limit: whatever is late is refused, or not known.
    const reached = { ...place, databaseUrl: url.href, databaseTimeoutMs: undefined }
    const env = { DATABASE_CONNECTIONS: '16' }
    const store = await startStore('postgres', { place: reached, env })
    nodes.push({ link, store, port: store.running.config.httpPort })
  }
  return { nodes, place, key: nodes[0]?.store.keys.production as string }
}

describe.runIf(engines.includes('postgres'))('two nodes under faults of the network', () => {
  it('lose and double nothing, serve nothing stale, and recover', {
    timeout: 180_000,
  }, async () => {
    const { key, nodes, place } = await startNodes()
    const [one, two] = nodes as [LinkedNode, LinkedNode]
    let requests = 0
    const load = await startCheckedLoad(() => (requests++ % 2 ? one : two).port, key, {
      clients: 8,
      perSecond: 150,
    })
    const { acknowledged } = load
    const readiness = async ({ port }: LinkedNode): Promise<number> => {
      const base = new URL(`http://localhost:${port}`)
      return (await ask(port, base, '', 'readyz', { key: null })).status
    }
    const set = (state: Parameters<Link['set']>[0], ...of: LinkedNode[]): void => {
      for (const { link } of of) link.set(state)
    }
    const heal = async (): Promise<void> => {
      set('open', one, two)
      for (const node of nodes) await expect.poll(() => readiness(node)).toBe(200)
    }

    for (const state of ['cut', 'silent'] as const) {
      await acknowledged(betweenFaults)
      set(state, one)
      await expect.poll(() => readiness(one)).toBe(503)
      // The other node goes on.
      await acknowledged(betweenFaults)
      expect(await readiness(two)).toBe(200)
      await heal()
    }
    for (const state of ['cut', 'silent', 'slow'] as const) {
      await acknowledged(betweenFaults)
      set(state, one, two)
      if (state === 'slow') await acknowledged(20)
      else for (const node of nodes) await expect.poll(() => readiness(node)).toBe(503)
      await heal()
    }
    const admin = await connectTo(place)
    for (let failovers = 0; failovers < 3; failovers++) {
      await acknowledged(betweenFaults)
      await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`)
    }
    await acknowledged(betweenFaults)
    await load.finish()
    await heal()
    await load.expectRight()
    // What the faults did to the requests.
    expect(load.failures()).toBeGreaterThan(0)
  })
})
