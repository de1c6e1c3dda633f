// A domain is removed, alone or with its project: which records to delete, and for whom the name is held.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DomainEvent } from '../../server/publishing/domains/api/event-schema.ts'
import type { DomainRemoval } from '../../server/publishing/domains/api/removal-schema.ts'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { day, hour } from '../publishing/publishing-in-test.ts'
import { type DomainsInTest, type Owner, startDomains, target } from './domains-in-test.ts'
import { openProjectRows } from './project-rows.ts'

const us = `${target}.`

describe.each(cases(engines))('removing a domain on %s', (engine) => {
  let world: DomainsInTest
  let owner: Owner
  beforeAll(async () => {
    world = await startDomains(engine)
    owner = await world.owner()
  })
  afterAll(() => world.release())

  /** A session is shorter than a tombstone. */
  async function signIn(): Promise<void> {
    await owner.person.signIn()
    await world.operator.signIn()
  }

  const eventsOf = async (host: string) => {
    const answer = await owner.person.ask(`/projects/${owner.slug}/domains/${host}/events`)
    return (answer.json as { items: DomainEvent[] }).items
  }

  it('shows which records to delete, and until when the name is held', async () => {
    const { host, zone } = await owner.addProven()
    zone.put('_animal-store.docs', 'TXT', (await owner.get(host)).verification.value)
    zone.put('_animal-store.docs', 'TXT', 'of somebody else')
    await owner.verify(host)
    const removed = await owner.remove(host)
    const [name, ttlSeconds] = [host, 300]
    expect(removed).toEqual({
      host,
      records: [
        { name, type: 'CNAME', value: target, ttlSeconds },
        {
          name: `_animal-store.${host}`,
          type: 'TXT',
          value: expect.stringMatching(/^animal-store-verify=/),
          ttlSeconds,
        },
      ],
      heldUntil: new Date(world.store.clock.now + 90 * day).toISOString(),
      persistentRecord: null,
      authorizations: 0,
      wasPrimary: true,
      endedRedirects: [],
      offline: {
        seconds: expect.any(Number),
        nodes: { acknowledged: 1, living: 1 },
        connectionsCut: 0,
        tls: 'refused',
        http: 404,
      },
    })
    expect((await owner.ask(`/${host}`)).json).toMatchObject({ code: 'domain_not_found' })
    expect((await owner.ask('')).json).toMatchObject({ items: [] })
    const again = await owner.ask(`/${host}`, { method: 'DELETE' })
    expect(again).toMatchObject({ status: 404, json: { code: 'domain_not_found' } })
  })

  it('lists our addresses at an apex', async () => {
    const zone = world.buy()
    await owner.add(zone.name)
    zone.put('@', 'A', world.lab.topology.server).put('@', 'A', '192.0.2.9')
    await owner.verify(zone.name)
    const { records } = await owner.remove(zone.name)
    expect(records).toMatchObject([
      { name: zone.name, type: 'A', value: world.lab.topology.server },
    ])
  })

  it('does not list a record that points elsewhere', async () => {
    const zone = world.buy()
    zone.put('docs', 'CNAME', 'shop.elsewhere.example.')
    await owner.add(`docs.${zone.name}`)
    expect(await owner.remove(`docs.${zone.name}`)).toMatchObject({ records: [] })
  })

  it('holds nothing that was never proven', async () => {
    const zone = world.buy()
    const host = `docs.${zone.name}`
    await owner.add(host)
    expect(await owner.remove(host)).toMatchObject({
      host,
      records: [],
      heldUntil: null,
      offline: null,
    })
    const other = await world.owner()
    world.pass(48 * hour)
    await other.person.signIn()
    await signIn()
    await other.add(host)
    zone.put('docs', 'CNAME', us)
    expect(await other.verify(host)).toMatchObject({ ownership: 'proven', provenBy: 'pointer' })
  })

  it('returns to its owner by the existing pointer', async () => {
    const { host } = await owner.addProven()
    await owner.remove(host)
    expect(await owner.add(host)).toMatchObject({
      ownership: 'proven',
      provenBy: 'pointer',
      verification: { isRequired: false },
    })
    // Also in another project of the owner.
    await owner.remove(host)
    world.pass(29 * day)
    await signIn()
    const second = await world.asOwner(owner.person)
    expect(await second.add(host)).toMatchObject({ ownership: 'proven', provenBy: 'pointer' })
  })

  it('requires TXT of others for 90 days, then a new pointer', async () => {
    const { host, zone } = await owner.addProven()
    await owner.remove(host)
    zone.clear('docs')
    const other = await world.owner()
    world.pass(90 * day - 60_000)
    await signIn()
    await other.person.signIn()
    await other.add(host)
    zone.put('docs', 'CNAME', us)
    expect(await other.verify(host)).toMatchObject({
      ownership: 'unproven',
      badge: 'prove_ownership',
      verification: { isRequired: true },
    })
    world.pass(60_000)
    expect(await other.verify(host)).toMatchObject({ ownership: 'proven', provenBy: 'pointer' })
  })

  it('leaves nothing in the database, alone or with its project', async () => {
    const leaving = await world.owner()
    const { name } = world.buy()
    const [host, other] = [`docs.${name}`, `www.${name}`]
    for (const one of [host, other]) await leaving.add(one)
    const rows = openProjectRows(world.store.place)
    try {
      for (const one of [host, other]) await rows.certify(one)
      const there = { domain_checks: 1, certificates: 2, certificate_orders: 1 }
      expect(await rows.count(host)).toMatchObject({ domains: 2, ...there })
      expect(await rows.count(other)).toMatchObject(there)
      await leaving.remove(host)
      const none = { domain_checks: 0, certificates: 0, certificate_orders: 0 }
      expect(await rows.count(host)).toMatchObject({ domains: 1, ...none })
      const path = `/projects/${leaving.slug}?name=${leaving.slug}`
      expect((await leaving.person.ask(path, { method: 'DELETE' })).status).toBe(204)
      const nothing = { domains: 0, domain_events: 0, domain_notices: 0, domain_webhooks: 0 }
      expect(await rows.count(other)).toEqual({ ...nothing, ...none })
    } finally {
      await rows.close()
    }
  })

  describe('the records to delete', () => {
    const statesOf = ({ records }: DomainRemoval) =>
      records.map(({ name, servers, state, type, value }) => {
        const having = servers.filter(({ answer }) => answer === 'present').length
        return { name, type, value, state, having, of: servers.length }
      })

    it('are looked up at every name server until all of them have deleted ours', async () => {
      const { host, zone } = await owner.addProven()
      const { value } = (await owner.get(host)).verification
      zone.put('_animal-store.docs', 'TXT', value).put('_animal-store.docs', 'TXT', 'of others')
      await owner.verify(host)
      const { records } = await owner.remove(host)
      const unchecked = { state: 'unchecked', detail: null, servers: [], note: null }
      expect(await owner.removals()).toContainEqual({
        ...{ host, unicodeHost: host, state: 'unchecked', checkedAt: null, nextVerifyAt: null },
        removedAt: new Date(world.store.clock.now).toISOString(),
        records: records.map((record) => ({ ...record, ...unchecked })),
      })

      const there = await owner.verifyRemoval(host)
      const [pointer, proof] = [
        { name: host, type: 'CNAME', value: target },
        { name: `_animal-store.${host}`, type: 'TXT', value },
      ]
      expect(there.state).toBe('present')
      expect(statesOf(there)).toEqual([
        { ...pointer, state: 'present', having: 4, of: 4 },
        { ...proof, state: 'present', having: 4, of: 4 },
      ])
      expect(there.records[0]?.detail).toMatch(/^Still there at all 4 name servers: ns1\./)

      // One name server keeps the zone of before; then it does not respond.
      zone.server(2, { delay: 'held' }).clear('docs').clear('_animal-store.docs')
      zone.put('_animal-store.docs', 'TXT', 'of others')
      const partly = await owner.verifyRemoval(host)
      expect(statesOf(partly)).toMatchObject([
        { state: 'present', having: 1, of: 4 },
        { state: 'present', having: 1, of: 4 },
      ])
      const [second] = partly.records[0]?.servers.filter(({ answer }) => answer === 'present') ?? []
      expect(partly.records[0]?.detail).toBe(`Still there at 1 of 4 name servers: ${second?.name}.`)
      zone.server(2, { fault: 'silent' })
      const silent = await owner.verifyRemoval(host)
      expect(silent.state).toBe('unknown')
      expect(silent.records[0]).toMatchObject({
        state: 'unknown',
        detail: `${second?.name} did not respond. Not found at 3 of 4 name servers.`,
      })
      zone.server(2, { fault: 'refusing' })
      expect((await owner.verifyRemoval(host)).records[1]).toMatchObject({
        state: 'unknown',
        detail: `${second?.name} refused the query. Not found at 3 of 4 name servers.`,
      })

      zone.server(2, { delay: 0, fault: 'none' })
      const gone = await owner.verifyRemoval(host)
      expect(statesOf(gone)).toEqual([
        { ...pointer, state: 'deleted', having: 0, of: 4 },
        { ...proof, state: 'deleted', having: 0, of: 4 },
      ])
      expect(gone).toMatchObject({ state: 'deleted' })
      expect(gone.records[0]?.detail).toBe('Not found at any of 4 name servers.')
      // For ten seconds the result is kept.
      zone.put('docs', 'CNAME', us)
      const path = `/projects/${owner.slug}/removed-domains/${host}/verify`
      const again = await owner.person.ask(path, { method: 'POST' })
      expect(again).toMatchObject({ status: 200, json: { checkedAt: gone.checkedAt } })
      expect((await owner.verifyRemoval(host)).state).toBe('present')
      zone.clear('docs')
      expect((await owner.verifyRemoval(host)).state).toBe('deleted')
      expect((await eventsOf(host)).map(({ type }) => type).slice(0, 3)).toEqual([
        'records_deleted',
        'records_deleted',
        'removed',
      ])
      world.pass(day + 60_000)
      await world.store.running.publishing.maintain()
      await signIn()
      expect((await owner.removals()).map((one) => one.host)).not.toContain(host)
    })

    it('are ours only where they lead to us', async () => {
      const { host, zone } = await owner.addProven()
      await owner.remove(host)
      zone.clear('docs').put('docs', 'CNAME', 'shop.elsewhere.example.')
      expect(statesOf(await owner.verifyRemoval(host))).toMatchObject([{ state: 'deleted' }])
      // By another name, and by an address.
      zone.clear('docs').put('docs', 'CNAME', `alias.${zone.name}.`).put('alias', 'CNAME', us)
      expect(statesOf(await owner.verifyRemoval(host))).toMatchObject([
        { value: target, state: 'deleted' },
        { value: `alias.${zone.name}`, state: 'present', having: 4 },
      ])
      zone.clear('alias').put('alias', 'CNAME', 'shop.elsewhere.example.')
      expect((await owner.verifyRemoval(host)).state).toBe('deleted')
      const { server } = world.lab.topology
      zone.clear('docs').put('docs', 'A', server).put('docs', 'A', '192.0.2.9')
      expect(statesOf(await owner.verifyRemoval(host))).toMatchObject([
        { value: target, state: 'deleted' },
        { value: `alias.${zone.name}`, state: 'deleted' },
        { type: 'A', value: server, state: 'present', having: 4 },
      ])
      world.lab.domains.release(zone.name)
      const unregistered = await owner.verifyRemoval(host)
      expect(unregistered.state).toBe('deleted')
      expect(unregistered.records[2]?.detail).toBe('The domain is not registered any more.')
    })

    it('are verified a limited number of times, as domains are', async () => {
      const busy = await world.owner()
      const [{ host }, other] = [await busy.addProven(), await busy.addProven()]
      await busy.remove(host)
      const path = `/projects/${busy.slug}/removed-domains/${host}/verify`
      const verify = () => busy.person.ask(path, { method: 'POST' })
      const change = { method: 'PATCH', body: { prepare: false } }
      await Promise.all(Array.from({ length: 120 }, () => busy.ask(`/${other.host}`, change)))
      expect(await verify()).toMatchObject({
        status: 429,
        headers: { 'retry-after': '1' },
        json: { code: 'rate_limited', message: expect.stringContaining('120 checks a minute') },
      })
      world.pass(1000)
      const answers = await Promise.all([verify(), verify()])
      expect(answers.map(({ json }) => json)).toMatchObject([
        { host, state: 'present' },
        { host, state: 'present' },
      ])
    })

    it('are not to be deleted once the host is added again, by its owner or another one', async () => {
      const { host, zone } = await owner.addProven()
      zone.put('_animal-store.docs', 'TXT', (await owner.get(host)).verification.value)
      await owner.verify(host)
      const rival = await world.owner()
      await rival.add(host)
      await rival.verify(host)
      // The pointer is that of the other claim.
      expect(await rival.remove(host)).toMatchObject({ records: [] })
      expect(await rival.removals()).toEqual([])
      await owner.remove(host)
      await owner.add(host)
      const isListed = async () => (await owner.removals()).some((one) => one.host === host)
      expect(await isListed()).toBe(false)
      const path = `/projects/${owner.slug}/removed-domains/${host}/verify`
      expect(await owner.person.ask(path, { method: 'POST' })).toMatchObject({
        status: 404,
        json: { code: 'domain_not_found' },
      })
      // A claim has a value of its own.
      zone.put('_animal-store.docs', 'TXT', (await owner.get(host)).verification.value)
      await owner.verify(host)
      await owner.remove(host)
      const other = await world.owner()
      const { value } = (await other.add(host)).verification
      zone.put('_animal-store.docs', 'TXT', value)
      expect(await other.verify(host)).toMatchObject({ ownership: 'proven' })
      // Its CNAME belongs to the other domain now, and so does the other TXT record.
      expect(statesOf(await owner.verifyRemoval(host))).toMatchObject([
        { type: 'TXT', state: 'present' },
      ])
      expect(await isListed()).toBe(true)
      zone.clear('_animal-store.docs')
      expect(statesOf(await owner.verifyRemoval(host))).toMatchObject([{ state: 'deleted' }])
    })

    it('are checked every day, and their owner is notified once after a week', async () => {
      const { host, zone } = await owner.addProven()
      await owner.remove(host)
      const { maintain } = world.store.running.publishing
      const removal = async () => (await owner.removals()).find((one) => one.host === host)
      const leftEvents = async () =>
        (await eventsOf(host)).filter(({ type }) => type === 'records_left')
      world.pass(day - 60_000)
      await maintain()
      await signIn()
      expect(await removal()).toMatchObject({ state: 'unchecked' })
      world.pass(60_000)
      await maintain()
      expect(await removal()).toMatchObject({ state: 'present' })
      for (let days = 1; days < 9; days++) {
        expect(await leftEvents()).toHaveLength(days < 7 ? 0 : 1)
        world.pass(day)
        await maintain()
        await signIn()
      }
      expect(await leftEvents()).toMatchObject([
        { actor: null, detail: { records: [{ name: host, type: 'CNAME', value: target }] } },
      ])
      zone.clear('docs')
      world.pass(day)
      await maintain()
      await signIn()
      expect(await removal()).toMatchObject({ state: 'deleted' })
      expect((await eventsOf(host))[0]).toMatchObject({ type: 'records_deleted', actor: null })
    })
  })

  it('is removed with its project, and is also held', async () => {
    const leaving = await world.owner()
    const { host } = await leaving.addProven()
    const path = `/projects/${leaving.slug}?name=${leaving.slug}`
    expect((await leaving.person.ask(path, { method: 'DELETE' })).status).toBe(204)
    const other = await world.owner()
    expect(await other.add(host)).toMatchObject({
      ownership: 'unproven',
      verification: { isRequired: true },
    })
    await other.remove(host)
    world.pass(48 * hour)
    await leaving.person.signIn()
    const back = await world.asOwner(leaving.person)
    expect(await back.add(host)).toMatchObject({ ownership: 'proven', provenBy: 'pointer' })
  })
})
