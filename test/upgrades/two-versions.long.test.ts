// A rolling upgrade: the program of the release before goes on serving, under load, while this version migrates its
// database and serves beside it. UPGRADE_SECONDS is how long both serve; by default only as long as the checks take.
// In npm test: test/upgrades/upgrade-check.test.ts.
import { Agent } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { contentHash } from '../../server/publishing/deploys/files.ts'
import { engines } from '../database.ts'
import { type AskOptions, ask } from '../running-store.ts'
import { type ServedProcess, serveProcess } from '../served-process.ts'
import { type Known, loadRelease, programOf, releases } from './release-data.ts'

const release = releases.at(-1) ?? ''
const seconds = Number(process.env.UPGRADE_SECONDS ?? 0)
/** Animals that both versions have to create before the load ends. */
const enough = 200
const clients = 3

interface Created {
  id: number
  name: string
}

/**
 * Clients that create animals at one process, and read and change them at any. Every response has to be a success, or a
 * 503 that has changed nothing, whose request is then sent again.
 */
function startLoad(key: string) {
  const agent = new Agent({ keepAlive: true })
  onTestFinished(() => agent.destroy())
  const stopping = new AbortController()
  onTestFinished(() => stopping.abort())
  const ports: number[] = []
  const created: Created[] = []
  const unavailable: string[] = []
  const loops: Promise<void>[] = []
  const counts = new Map<number, number>()

  async function send(port: number, path: string, options: AskOptions, status: number) {
    const base = new URL(`http://localhost:${port}/v1`)
    let answer = await ask(port, base, key, path, { agent, ...options })
    while (answer.status === 503 && answer.headers['retry-after'] !== undefined) {
      unavailable.push(`${port} ${path}`)
      answer = await ask(port, base, key, path, { agent, ...options })
    }
    expect(`${answer.status} ${path} ${answer.text}`).toMatch(new RegExp(`^${status} `))
    return answer
  }

  async function loop(port: number, client: number): Promise<void> {
    for (let i = 0; !stopping.signal.aborted; i++) {
      const name = `${port}-${client}-${i}`
      const headers = { 'idempotency-key': name }
      const body = { name, categoryId: 1, status: 'available' }
      const { text } = await send(port, '/pets', { body, headers }, 201)
      const pet = JSON.parse(text) as Created
      created.push(pet)
      counts.set(port, (counts.get(port) ?? 0) + 1)
      // The other version sees it at once, changes it, and repeats its request without a second animal.
      const other = ports[(ports.indexOf(port) + 1) % ports.length] as number
      expect((await send(other, `/pets/${pet.id}`, {}, 200)).text).toBe(text)
      expect((await send(other, '/pets', { body, headers }, 201)).text).toBe(text)
      if (i % 3 === 0) await send(other, '/store/orders', { body: { petId: pet.id } }, 201)
      if (i % 3 === 1) {
        await send(other, `/pets/${pet.id}`, { method: 'PATCH', body: { status: 'sold' } }, 200)
        expect((await send(port, `/pets/${pet.id}`, {}, 200)).json).toMatchObject({
          status: 'sold',
        })
      }
      await send(other, '/pets?limit=10', { headers: { prefer: 'count=exact' } }, 200)
    }
  }

  return {
    created,
    unavailable,
    add(port: number) {
      ports.push(port)
      loops.push(...Array.from({ length: clients }, (_, client) => loop(port, client)))
      for (const each of loops) each.catch(() => {})
    },
    /** Resolves when so many animals were created at this process; rejects when a client fails. */
    async reaches(port: number, count: number): Promise<void> {
      const reached = expect.poll(() => counts.get(port) ?? 0, { timeout: 110_000 })
      await Promise.race([reached.toBeGreaterThanOrEqual(count), Promise.all(loops)])
    },
    async stop(): Promise<void> {
      stopping.abort()
      await Promise.all(loops)
    },
  }
}

/** Deploys and adds a domain at one process; the other one shows both. */
async function publishAt(at: ServedProcess, seenAt: ServedProcess, known: Known): Promise<void> {
  const { slug } = known.project
  const manage = async (port: number, path: string, status: number, options: AskOptions = {}) => {
    const base = new URL(`http://localhost:${port}/api/projects/${slug}`)
    const answer = await ask(port, base, known.token, path, options)
    expect(answer.status, `${path} ${answer.text}`).toBe(status)
    return answer.json
  }
  const page = `<!doctype html><title>${at.port}</title>`
  const hash = contentHash(Buffer.from(page))
  const headers = { 'content-type': 'application/octet-stream' }
  await manage(at.port, `/files/${hash}`, 204, { method: 'PUT', body: page, headers })
  const files = [{ path: 'index.html', hash }]
  const { number } = (await manage(at.port, '/deploys', 201, { body: { files } })) as {
    number: number
  }
  const finished = await manage(at.port, `/deploys/${number}?wait=25`, 200)
  expect(finished).toMatchObject({ state: 'live' })
  const site = new URL(`http://${slug}.docs.localhost:${seenAt.port}`)
  expect((await ask(seenAt.port, site, '', '', { key: null })).text).toBe(page)

  const host = `at-${at.port}.example.com`
  await manage(at.port, '/domains', 201, { body: { host } })
  await manage(seenAt.port, `/domains/${host}`, 200)
  await manage(seenAt.port, `/domains/${host}`, 200, { method: 'DELETE' })
  await manage(at.port, `/domains/${host}`, 404)
}

describe.each(engines)('a rolling upgrade on %s', (engine) => {
  it(`${release} serves beside this version, and both see what the other does`, {
    timeout: 240_000 + seconds * 1000,
  }, async () => {
    const { known, place } = await loadRelease(engine, release)
    const serve = async (program?: string): Promise<ServedProcess> => {
      const served = await serveProcess(place, {}, [], () => {}, program)
      onTestFinished(() => void served.child.kill('SIGKILL'))
      return served
    }
    const old = await serve(programOf(release))
    const load = startLoad(known.key)
    load.add(old.port)
    await load.reaches(old.port, 20)
    // Its connections have prepared all statements.
    await publishAt(old, old, known)
    const next = await serve()
    load.add(next.port)
    for (const { port } of [old, next]) await load.reaches(port, enough)

    const both: [ServedProcess, ServedProcess][] = [
      [old, next],
      [next, old],
    ]
    for (const [at, seenAt] of both) await publishAt(at, seenAt, known)
    await delay(seconds * 1000)
    await load.stop()
    expect(await old.end()).toBe(0)
    expect(next.log()).not.toMatch(/"level":"error"/)
    const failed = old.log().match(/"level":"error".*/g) ?? []
    expect(failed.filter((line) => !/"code":"57P01"|"status":503/.test(line))).toEqual([])
    // Each of its sessions ends once, most of them while they are idle.
    expect(load.unavailable.length).toBeLessThan(engine === 'sqlite' ? 1 : 36)

    // Every animal exists once.
    const names = load.created.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    expect(new Set(load.created.map(({ id }) => id)).size).toBe(names.length)
    const base = new URL(`http://localhost:${next.port}/v1`)
    const counted = await ask(next.port, base, known.key, '/pets?limit=1', {
      headers: { prefer: 'count=exact' },
    })
    expect(counted.headers['x-total-count']).toBe(String(names.length + 12))
  })
})
