// kill -9 at every step of a certificate order: completed steps are not repeated, and every certificate is issued in
// the end.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { Domain } from '#domains/api/schema.ts'
import { platformHost } from '../../lab/network/topology.ts'
import { environmentIn } from '../../lab/serve-in-lab.ts'
import { startFaultProxy } from '../acme/fault-proxy.ts'
import { ask } from '../edge/clients.ts'
import { eventually } from '../eventually.ts'
import { startedLab } from '../lab/started-lab.ts'
import { placeForTest } from '../place-for-test.ts'
import { peopleAt } from '../publishing/publishing-in-test.ts'
import { serveProcess } from '../served-process.ts'

/** The requests to Pebble for one certificate, in order. */
const steps = ['order-plz', 'authZ', 'chalZ', 'finalize-order', 'my-order', 'certZ']

it('resumes each order where it stopped', async () => {
  // Moving the resolvers' clock expires their cached negative answers.
  let ahead = 0
  const lab = await startedLab({ now: () => Date.now() + ahead, env: process.env })
  const { authority, domains, folder, topology } = lab
  if (!authority) throw new Error('there is no certificate authority')
  const proxy = await startFaultProxy(
    authority.directoryUrl,
    await readFile(authority.rootFile, 'utf8'),
  )
  onTestFinished(() => proxy.close())
  const rootFile = join(folder, 'proxy-root.pem')
  await writeFile(rootFile, proxy.root)
  const place = await placeForTest('sqlite')
  const { DATA_DIR: _, ...inLab } = environmentIn(lab)
  const env = { ...inLab, ACME_DIRECTORY: proxy.directoryUrl, CA_FILE: rootFile }
  const first = await serveProcess(place, env)
  const people = await peopleAt(first.port, first.setUpToken)

  // The response to the first request of each kind is lost, although the authority has processed it.
  const held = new Set<string>()
  proxy.faultFor = (_method, path) => {
    const step = steps.find((each) => path.includes(`/${each}`))
    if (step === undefined || held.has(step)) return undefined
    held.add(step)
    return { kind: 'late', after: new Promise(() => {}) }
  }
  const person = people.operator
  await person.create('kills')
  await person.deployFolder('kills', { 'index.html': 'published' })
  const hosts = steps.map((_step, i) => `docs.kill${i}.example`)
  const path = '/projects/kills/domains'
  for (const [i, host] of hosts.entries()) {
    domains.buy(`kill${i}.example`, 'burrow')
    await person.ask(path, { body: { host } })
    const record = { name: 'docs', type: 'CNAME', value: platformHost, ttlSeconds: 60 } as const
    domains.addRecord(`kill${i}.example`, record)
  }
  ahead = 24 * 3_600_000
  // Added domains are checked again within a minute; a verification by the owner is faster.
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
  // The kill fails validations that the authority has under way. Their owners do not wait for the next attempt.
  const retried = new Set<string>()
  const see = async (host: string): Promise<Domain> => {
    const domain = (await person.ask(`${path}/${host}`)).json as Domain
    if (domain.badge === 'retrying' && !retried.has(host)) {
      retried.add(host)
      await person.ask(`${path}/${host}/verify`, { method: 'POST' })
    }
    return domain
  }
  for (const host of hosts) {
    await eventually(
      () => see(host),
      ({ badge }) => badge === 'active',
      40_000,
    )
    expect((await ask(topology.ports.https, host, root)).text).toBe('published')
  }
  // One order for each domain and for the site, one more where it is unknown whether the order exists, and one for
  // each that failed: a busy authority may give up a validation before the kill, too.
  const ordered = proxy.asked.filter((each) => each.includes('order-plz'))
  let failed = 0
  for (const host of hosts) {
    const events = await person.ask(`${path}/${host}/events`)
    const { items } = events.json as { items: { type: string }[] }
    failed += items.filter(({ type }) => type === 'failed').length
  }
  expect(ordered.length).toBeLessThanOrEqual(hosts.length + 2 + failed)
})
