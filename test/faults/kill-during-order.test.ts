// kill -9 while certificates are on their way, at every step of an order: what the authority did is not asked
// for again, and every certificate comes in the end.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startLab } from '../../lab/lab.ts'
import { platformHost } from '../../lab/network/topology.ts'
import { environmentIn } from '../../lab/serve-in-lab.ts'
import type { Domain } from '../../server/publishing/domains/api/schema.ts'
import { startFaultProxy } from '../acme/fault-proxy.ts'
import { createTestDatabase } from '../database.ts'
import { ask } from '../edge/clients.ts'
import { eventually } from '../eventually.ts'
import { freeNetwork, freePort } from '../lab/started-lab.ts'
import { peopleAt } from '../publishing/publishing-in-test.ts'
import { serveProcess } from '../served-process.ts'

/** What is asked of Pebble for one certificate, in order. */
const steps = ['order-plz', 'authZ', 'chalZ', 'finalize-order', 'my-order', 'certZ']

it('goes on where each order stopped', { timeout: 90_000 }, async () => {
  // What resolvers remember of names that were not there is forgotten when their clock moves.
  let ahead = 0
  const lab = await startLab({
    now: () => Date.now() + ahead,
    network: freeNetwork(),
    ports: {
      dns: 5300,
      http: await freePort(),
      https: await freePort(),
      registrar: 0,
      browserProxy: 0,
    },
    env: process.env,
  })
  onTestFinished(() => lab.stop())
  const { authority, domains, folder, topology } = lab
  if (!authority) throw new Error('there is no authority')
  const proxy = await startFaultProxy(
    authority.directoryUrl,
    await readFile(authority.rootFile, 'utf8'),
  )
  onTestFinished(() => proxy.close())
  const rootFile = join(folder, 'proxy-root.pem')
  await writeFile(rootFile, proxy.root)
  const place = await createTestDatabase('sqlite')
  onTestFinished(() => place.release())
  const { DATA_DIR: _, ...inLab } = environmentIn(lab)
  const env = { ...inLab, ACME_DIRECTORY: proxy.directoryUrl, ACME_CA_FILE: rootFile }
  const first = await serveProcess(place, env)
  const people = await peopleAt(first.port, first.setUpLink?.split('#').at(-1) ?? '')

  // The answer to the first request of each kind never comes, though the authority has done what was asked.
  const held = new Set<string>()
  proxy.faultFor = (_method, path) => {
    const step = steps.find((each) => path.includes(`/${each}`))
    if (step === undefined || held.has(step)) return undefined
    held.add(step)
    return { kind: 'late', after: new Promise(() => {}) }
  }
  const person = people.operator
  await person.create('kills')
  await person.deployFolder('kills', { 'index.html': 'alive' })
  const hosts = steps.map((_step, i) => `docs.kill${i}.example`)
  const path = '/projects/kills/domains'
  for (const [i, host] of hosts.entries()) {
    domains.buy(`kill${i}.example`, 'burrow')
    await person.ask(path, { body: { host } })
    const record = { name: 'docs', type: 'CNAME', value: platformHost, ttlSeconds: 60 } as const
    domains.addRecord(`kill${i}.example`, record)
  }
  ahead = 24 * 3_600_000
  // Those that were added are checked again in a minute; a person is quicker.
  await eventually(
    async () => {
      for (const host of hosts) await person.ask(`${path}/${host}/verify`, { method: 'POST' })
      return held.size
    },
    (size) => size === steps.length,
    40_000,
  )
  expect(await first.end('SIGKILL')).toBe('SIGKILL')

  proxy.faultFor = () => undefined
  const second = await serveProcess(place, env)
  onTestFinished(async () => void (await second.end()))
  const root = await authority.root()
  for (const host of hosts) {
    await eventually(
      async () => (await person.ask(`${path}/${host}`)).json as Domain,
      ({ badge }) => badge === 'active',
      40_000,
    )
    expect((await ask(topology.ports.https, host, root)).text).toBe('alive')
  }
  // One order for each and for the site itself, and one more where it could not be known whether there is one.
  const ordered = proxy.asked.filter((each) => each.includes('order-plz'))
  expect(ordered.length).toBeLessThanOrEqual(hosts.length + 2)
})
