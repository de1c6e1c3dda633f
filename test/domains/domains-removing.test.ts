// A domain is removed, alone or with its project: which records to delete, and for whom the name is held.

import { describe, expect, it } from 'vitest'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { day, hour } from '../publishing/publishing-in-test.ts'
import { refusal } from '../running-store.ts'
import { shared } from '../shared.ts'
import { startDomains, target } from './domains-in-test.ts'
import { addCertificates, rowCounter } from './project-rows.ts'

const us = `${target}.`

describe.each(cases(engines))('removing a domain on %s', (engine) => {
  const world = shared(() => startDomains(engine))
  const owner = shared(() => world.owner())

  /** A session is shorter than a tombstone. */
  async function signIn(): Promise<void> {
    await owner.person.signIn()
    await world.operator.signIn()
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
    expect(await owner.delete(`/${host}`)).toMatchObject(refusal(404, 'domain_not_found'))
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
    const { host, zone } = await owner.addNew()
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
    const { place } = world.store
    for (const one of [host, other]) await addCertificates(place, one)
    const [count, countOther] = [await rowCounter(place, host), await rowCounter(place, other)]
    const there = { domain_checks: 1, certificates: 2, certificate_orders: 1 }
    expect(await count()).toMatchObject({ domains: 2, ...there })
    expect(await countOther()).toMatchObject(there)
    await leaving.remove(host)
    const none = { domain_checks: 0, certificates: 0, certificate_orders: 0 }
    expect(await count()).toMatchObject({ domains: 1, ...none })
    await leaving.deleteProject()
    const nothing = { domains: 0, domain_events: 0, domain_notices: 0, domain_webhooks: 0 }
    expect(await countOther()).toEqual({ ...nothing, ...none })
  })

  it('lists no pointer that another claim needs', async () => {
    const { host, zone } = await owner.addProven()
    zone.put('_animal-store.docs', 'TXT', (await owner.get(host)).verification.value)
    await owner.verify(host)
    const rival = await world.owner()
    await rival.add(host)
    await rival.verify(host)
    expect(await rival.remove(host)).toMatchObject({ records: [] })
    expect((await owner.remove(host)).records).toMatchObject([{ type: 'CNAME' }, { type: 'TXT' }])
    expect((await owner.events(host))[0]).toMatchObject({
      type: 'removed',
      detail: { records: [{ name: host, type: 'CNAME', value: target }, { type: 'TXT' }] },
    })
  })

  it('is removed with its project, and is also held', async () => {
    const leaving = await world.owner()
    const { host } = await leaving.addProven()
    await leaving.deleteProject()
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
