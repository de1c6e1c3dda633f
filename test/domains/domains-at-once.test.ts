// Checks during other operations: each is held at a web server of the test until the test releases it.

import { EventEmitter, once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import type { Domain, Domains } from '#domains/api/schema.ts'
import { listen } from '../../lab/web/web-servers.ts'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { expectJson, minute } from '../publishing/publishing-in-test.ts'
import { refusal } from '../running-store.ts'
import { shared } from '../shared.ts'
import { type Owner, startDomains, target } from './domains-in-test.ts'

/** A web server that holds the responses to probes until it is opened. */
async function startGate(address: string, port: number) {
  const held: ServerResponse[] = []
  const probes = new EventEmitter()
  const { close } = await listen(address, port, (_, response) => {
    held.push(response)
    probes.emit('held')
  })
  return {
    address,
    /** Probes that have arrived since the last opening. */
    held: () => held.length,
    /** Resolves when this many are held. */
    async holds(count: number) {
      while (held.length < count) await once(probes, 'held')
    },
    open() {
      for (const response of held.splice(0)) response.writeHead(404).end()
    },
    close,
  }
}

describe.each(cases(engines))('at once on %s', (engine) => {
  const world = shared(() => startDomains(engine))
  const owner = shared(() => world.owner())
  const gate = shared(() => {
    const { topology } = world.lab
    return startGate(topology.root.replace(/\d+$/, '99'), topology.ports.http)
  })
  afterEach(() => gate.open())

  /** Adds domains with these labels, whose checks are held. */
  async function heldDomains(by: Owner, labels: string[]): Promise<string[]> {
    const zone = world.buy()
    const hosts = labels.map((label) => `${label}.${zone.name}`)
    for (const host of hosts) await by.add(host)
    for (const label of labels) zone.put(label, 'A', gate.address)
    world.pass(11_000)
    return hosts
  }

  const verify = (by: Owner, host: string) => by.post(`/${host}/verify`)

  it('two verifications of a domain are one check with one response', async () => {
    const [host = ''] = await heldDomains(owner, ['docs'])
    const both = [verify(owner, host), verify(owner, host)]
    await gate.holds(1)
    // Other requests are answered in the meantime. After several in turn, the second verification has arrived, too.
    for (let i = 0; i < 10; i++) expect(await owner.get(host)).toMatchObject({ dns: 'missing' })
    expect(gate.held()).toBe(1)
    gate.open()
    const [first, second] = await Promise.all(both)
    expect(first?.json).toMatchObject({ host, dns: 'conflict' })
    expect(second?.json).toEqual(first?.json)
  })

  it('a verification during a scheduled check runs another check', async () => {
    const [host = ''] = await heldDomains(owner, ['docs'])
    world.pass(minute)
    // The scheduled check, which is due.
    await gate.holds(1)
    world.pass(1000)
    const checking = verify(owner, host)
    gate.open()
    await gate.holds(1)
    gate.open()
    const { checkedAt } = expectJson(await checking, 200) as Domain
    expect(Date.parse(checkedAt ?? '')).toBe(world.store.clock.now)
  })

  it('a domain that is removed during its check stays removed', async () => {
    const [host = ''] = await heldDomains(owner, ['docs'])
    const checking = verify(owner, host)
    await gate.holds(1)
    await owner.remove(host)
    gate.open()
    expect(await checking).toMatchObject(refusal(404, 'domain_not_found'))
    expect(await owner.ask(`/${host}`)).toMatchObject({ status: 404 })
  })

  it('a domain that is removed and added again is not judged by the old check', async () => {
    const [host = ''] = await heldDomains(owner, ['docs'])
    const checking = verify(owner, host)
    await gate.holds(1)
    await owner.remove(host)
    const adding = owner.add(host)
    await gate.holds(2)
    gate.open()
    expect(await checking).toMatchObject({ status: 404 })
    const added = await adding
    expect(added).toMatchObject({ host, dns: 'conflict' })
    expect(await owner.get(host)).toEqual(added)
  })

  it('a project that is deleted during checks takes its domains with it', async () => {
    const leaving = await world.owner()
    const [host = ''] = await heldDomains(leaving, ['docs'])
    const checking = verify(leaving, host)
    await gate.holds(1)
    await leaving.deleteProject()
    gate.open()
    expect(await checking).toMatchObject(refusal(404, 'domain_not_found'))
  })

  it('many checks of one account do not delay others', async () => {
    // First, because a held check is given up after five seconds.
    const other = await world.owner()
    const { host, zone } = await other.addNew()
    zone.put('docs', 'CNAME', `${target}.`)
    const labels = Array.from({ length: 20 }, (_, i) => `d${i}`)
    const hosts = await heldDomains(owner, labels)
    const flood = hosts.map((each) => verify(owner, each))
    await gate.holds(8)
    const verified = expectJson(await verify(other, host), 200) as Domain
    expect(verified).toMatchObject({ ownership: 'proven' })
    // Only the account's share of its checks has started.
    expect(gate.held()).toBe(8)
    for (const count of [8, 8, 4]) {
      await gate.holds(count)
      gate.open()
    }
    for (const answer of await Promise.all(flood)) expect(answer.status).toBe(200)
  })

  it('scheduled checks of one account do not delay those of others', async () => {
    const [busy, other] = [await world.owner(), await world.owner()]
    const labels = Array.from({ length: 48 }, (_, i) => `d${i}`)
    await heldDomains(busy, labels)
    const { host, zone } = await other.addNew()
    zone.put('docs', 'CNAME', `${target}.`)
    // All are due now, those of the busy account first.
    world.pass(2 * minute)
    await gate.holds(8)
    const isChecked = ({ checkedAt }: Pick<Domain, 'checkedAt'>) =>
      Date.parse(checkedAt ?? '') === world.store.clock.now
    await other.until(host, isChecked)
    // At most those that a process checks at once were before.
    const { items } = await busy.read<Domains>('')
    expect(items.filter(isChecked).length).toBeLessThan(24)
  })

  it('an account can request a limited number of checks, and does not delay others', async () => {
    const [busy, other] = [await world.owner(), await world.owner()]
    const { name } = world.buy()
    const look = (by: Owner, i: number) =>
      by.person.post('/domain-checks', { host: `d${i}.${name}` })
    const answers = await Promise.all(Array.from({ length: 140 }, (_, i) => look(busy, i)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20)
    const refused = answers.find(({ status }) => status !== 200)
    expect(refused).toMatchObject({
      status: 429,
      headers: { 'retry-after': '3' },
      json: { code: 'rate_limited', message: expect.stringContaining('20 checks a minute') },
    })
    expect((await look(other, 0)).status).toBe(200)
    world.pass(3000)
    expect((await look(busy, 0)).status).toBe(200)
    // After the clock was set back, an allowance from before does not count.
    world.pass(-3 * 60 * minute)
    expect((await look(busy, 0)).status).toBe(200)
    world.pass(3 * 60 * minute)
  })
})
