// A domain is removed: open connections are closed in every process, new ones are refused, and the response shows it.

import { once } from 'node:events'
import { get } from 'node:http'
import type { Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import type { RemovedDomain } from '#domains/api/schema.ts'
import { cases, isLong } from '../cases.ts'
import { createTestDatabase, type Engine, engines } from '../database.ts'
import { expectJson, type People, type Person, peopleAt } from '../publishing/publishing-in-test.ts'
import { runCommand, type ServedProcess, serveProcess } from '../served-process.ts'
import {
  askHttp2,
  closed,
  handshakeFault,
  openHttp2,
  openTcp,
  openTls,
  sessionOf,
  shownFingerprint,
} from './clients.ts'
import { openServedDomains, type ServedDomains } from './served-domains.ts'

const releases: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const release of releases.splice(0).reverse()) await release()
})

interface Nodes {
  place: Awaited<ReturnType<typeof createTestDatabase>>
  processes: [ServedProcess, ...ServedProcess[]]
  domains: ServedDomains
  people: People
  owner: Person
}

/** A project `docs` with the hosts docs.acorn.example and docs.other.example. */
async function start(engine: Engine, count: number, workers: number): Promise<Nodes> {
  const place = await createTestDatabase(engine)
  releases.push(() => place.release())
  const processes: ServedProcess[] = []
  for (let i = 0; i < count; i++) {
    const served = await serveProcess(place, { WORKERS: String(workers) })
    processes.push(served)
    releases.push(() => served.end('SIGKILL'))
  }
  const [first] = processes as Nodes['processes']
  // Each start creates another link.
  const token = processes.at(-1)?.setUpToken ?? ''
  const people: People = await peopleAt(first.port, token)
  const owner = await people.member('paid')
  await owner.publish('docs', { 'index.html': '<title>Docs</title>' })
  const domains = await openServedDomains(place)
  releases.push(() => domains.close())
  for (const host of [host1, host2]) await domains.attach('docs', host, { directory: 'internal' })
  return { place, processes: processes as Nodes['processes'], domains, people, owner }
}

const host1 = 'docs.acorn.example'
const host2 = 'docs.other.example'
const at = (host: string) => ({ ':authority': host, ':path': '/' })

/** Idle after one response, on the plain port. */
async function idleKeepAlive(port: number, host: string): Promise<Socket> {
  const socket = await openTcp(port)
  socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
  let text = ''
  while (!text.endsWith('<title>Docs</title>')) text += (await once(socket, 'data'))[0]
  expect(text).toMatch(/^HTTP\/1.1 200/)
  return socket
}

const setups: [string, Engine, processes: number, workers: number][] = [
  ['one process on SQLite', 'sqlite', 1, 1],
  ['two workers on SQLite', 'sqlite', 1, 2],
  ['two programs on PostgreSQL', 'postgres', 2, 1],
]

describe.each(cases(setups.filter(([, engine]) => engines.includes(engine))))(
  'with %s',
  { timeout: 120_000 },
  (_, engine, count, workers) => {
    it('closes open connections and refuses new ones, in every process, and reports it', async () => {
      const { domains, owner, processes } = await start(engine, count, workers)
      const { ca } = domains
      const open: Promise<unknown>[] = []
      const kept: Awaited<ReturnType<typeof openHttp2>>[] = []
      const asks: (() => Promise<unknown>)[] = []
      for (const { httpsPort, port } of processes) {
        // Workers take turns: several of each kind, so that every process has some.
        for (let i = 0; i < 2 * workers; i++) {
          const session = await openHttp2(httpsPort, host1, ca)
          expect((await askHttp2(session, at(host1))).status).toBe(200)
          open.push(closed(session))
          asks.push(() => askHttp2(session, at(host1)))
          const idle = await openTls(httpsPort, host1, ca)
          open.push(closed(idle))
          open.push(closed(await idleKeepAlive(port, host1)))
          const other = await openHttp2(httpsPort, host2, ca)
          expect((await askHttp2(other, at(host2))).status).toBe(200)
          kept.push(other)
        }
      }
      const ticket = await sessionOf(processes[0].httpsPort, host1, ca)
      for (const { httpsPort } of processes) {
        const resumed = await openTls(httpsPort, host1, ca, { session: ticket })
        expect(resumed.isSessionReused()).toBe(true)
      }

      const response = await owner.delete(`/projects/docs/domains/${host1}`)
      const { offline } = expectJson(response, 200) as RemovedDomain
      const all = count * workers
      expect(offline).toMatchObject({
        nodes: { acknowledged: all, living: all },
        connectionsCut: expect.any(Number),
        tls: 'refused',
        http: 404,
      })
      // The response comes after the open connections have been closed.
      expect(offline?.connectionsCut).toBeGreaterThanOrEqual(open.length)
      expect(offline?.seconds).toBeLessThan(5)
      await Promise.all(open)
      for (const again of asks) await expect(again()).rejects.toThrow()
      for (const { httpsPort, port } of processes) {
        for (let i = 0; i < 2 * workers; i++) {
          const fault = await handshakeFault(httpsPort, host1, { session: ticket })
          expect(fault).toMatch(/UNRECOGNIZED_NAME/)
          const plain = get({ host: '127.0.0.1', port, headers: { host: host1 }, agent: false })
          const [{ statusCode }] = await once(plain, 'response')
          expect(statusCode).toBe(404)
        }
      }
      // Other hosts are not affected.
      for (const session of kept) {
        expect((await askHttp2(session, at(host2))).status).toBe(200)
      }
    })
  },
)

it.each(cases(engines))(
  'a process that has died is awaited, but not for long (%s)',
  { timeout: 120_000 },
  async (engine) => {
    const { domains, owner, place, processes } = await start(engine, 1, 1)
    const other = await serveProcess(place)
    const open = await openHttp2(other.httpsPort, host1, domains.ca)
    const over = closed(open)
    await other.end('SIGKILL')
    await over
    const response = await owner.delete(`/projects/docs/domains/${host1}`)
    const { offline } = expectJson(response, 200) as RemovedDomain
    // What is unknown is not claimed.
    expect(offline).toMatchObject({
      nodes: { acknowledged: 1, living: 2 },
      tls: 'refused',
      http: 404,
    })
    expect(offline?.seconds).toBeGreaterThanOrEqual(5)
    expect(offline?.seconds).toBeLessThan(8)
    expect(await handshakeFault(processes[0].httpsPort, host1)).toMatch(/UNRECOGNIZED_NAME/)
    // A process that stopped regularly is not awaited.
    const third = await serveProcess(place)
    await third.end('SIGTERM')
    const again = await owner.delete(`/projects/docs/domains/${host2}`)
    expect(expectJson(again, 200)).toMatchObject({ offline: { nodes: { living: 2 } } })
  },
)

describe.each(cases(engines))('on %s', (engine) => {
  it('a new certificate is shown by every worker from the next handshake on', async () => {
    const { domains, processes } = await start(engine, 1, 2)
    const [{ httpsPort }] = processes
    const shown = () => shownFingerprint(httpsPort, host1, domains.ca)
    const before = new Set([await shown(), await shown(), await shown(), await shown()])
    expect(before.size).toBe(1)
    const renewed = await domains.renew(host1)
    for (let i = 0; i < 4; i++) expect(await shown()).toBe(renewed)
  })

  if (isLong)
    it('the command on this machine waits for the running server', async () => {
      const { domains, place, processes } = await start(engine, 1, 1)
      const [{ httpsPort, port }] = processes
      const session = await openHttp2(httpsPort, host1, domains.ca)
      const over = closed(session)
      const ports = { HTTP_PORT: String(port), HTTPS_PORT: String(httpsPort) }
      const words = ['domains', 'remove', host1, '--project', 'docs']
      const { status, stdout } = await runCommand(place, words, ports)
      await over
      expect(status).toBe(0)
      expect(stdout).toMatch(
        /Offline on 1 of 1 node in \d+\.\d\d s, 1 open connection closed\. Tested afterwards: HTTPS refused, HTTP 404\./,
      )
    })

  it("removing an unproven claim closes no connection of the host's owner", async () => {
    const { domains, people, processes } = await start(engine, 1, 1)
    const session = await openHttp2(processes[0].httpsPort, host1, domains.ca)
    expect((await askHttp2(session, at(host1))).status).toBe(200)
    const other = await people.member('paid')
    await other.create('other')
    await domains.attach('other', host1, { ownership: 'unproven' })
    const removed = await other.delete(`/projects/other/domains/${host1}`)
    expect(expectJson(removed, 200)).toMatchObject({ offline: null })
    expect((await askHttp2(session, at(host1))).status).toBe(200)
  })
})
