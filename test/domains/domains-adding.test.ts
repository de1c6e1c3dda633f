// Adding a domain: its preconditions, which names are refused and why, which record is shown, and who owns it. And checks of
// hosts that are not added: as they are, and with planned records.

import { beforeAll, describe, expect, it } from 'vitest'
import type { Domains } from '#domains/api/schema.ts'
import type { DomainCheck } from '#domains/checks/check-schema.ts'
import { zoneHead } from '../../lab/dns/start-dns.ts'
import { createZone } from '../../lab/dns/zone.ts'
import { platformServerNames } from '../../lab/network/topology.ts'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import type { BoughtZone } from '../lab/buy-zone.ts'
import { expectJson } from '../publishing/publishing-in-test.ts'
import { refusal } from '../running-store.ts'
import { shared } from '../shared.ts'
import { startDomains, target } from './domains-in-test.ts'

/** The input, and a part of the error message: some of those of server/doctor/hostname.test.ts. */
const refusals: [typed: string, sentence: RegExp][] = [
  ['docs', /not a full name\. Enter all of it, such as docs\.example\.com\./],
  [`shop.${target}`, /belongs to this platform already\. Enter a domain of your own\./],
  ['my_docs.mossy.example', /underscore, which no certificate can name\. Use a hyphen\./],
]

describe.each(cases(engines))('adding a domain on %s', (engine) => {
  const world = shared(() => startDomains(engine))
  const owner = shared(() => world.owner())

  it('requires a paid plan and a deploy, and says so before and when adding', async () => {
    const person = await world.member('free')
    const slug = `free-${engine}`
    await person.create(slug)
    const at = `/projects/${slug}/domains`
    const list = () => person.read<Domains>(at)
    const add = () => person.post(at, { host: world.buy().name })

    const both = await list()
    expect(both.missing).toEqual([
      {
        code: 'plan_required',
        message:
          'Custom domains need the paid plan. Ask an operator of this server to set it for you.',
      },
      {
        code: 'deploy_required',
        message: `Nothing is published of this project yet. Deploy it first: animal-store deploy FOLDER --project ${slug}`,
      },
    ])
    expect(await add()).toMatchObject({ status: 403, json: both.missing[0] })

    const plan = await world.operator.patch(`/accounts/${person.account.id}`, { plan: 'paid' })
    expect(plan.status).toBe(200)
    expect((await list()).missing).toEqual([both.missing[1]])
    expect(await add()).toMatchObject({ status: 409, json: both.missing[1] })

    await person.deployFolder(slug, { 'index.html': 'there' })
    expect(await list()).toEqual({ items: [], missing: [] })
    expect((await add()).status).toBe(201)
  })

  it.each(refusals)('refuses %s, with what to do', async (typed, sentence) => {
    const { json, ...refused } = await owner.post('', { host: typed })
    expect({ ...refused, json }).toMatchObject(refusal(400, 'invalid_body', 'host'))
    expect(json).toMatchObject({ details: [{ message: expect.stringMatching(sentence) }] })
  })

  it('accepts a pasted URL and a name in Unicode', async () => {
    const { name } = world.buy()
    const pasted = await owner.add(` https://Docs.${name.toUpperCase()}:8443/start?x#y `)
    expect(pasted).toMatchObject({ host: `docs.${name}`, unicodeHost: `docs.${name}` })
    const unicode = await owner.add(`bücher.${name}.`)
    expect(unicode).toMatchObject({
      host: `xn--bcher-kva.${name}`,
      unicodeHost: `bücher.${name}`,
      record: { name: 'xn--bcher-kva', host: `xn--bcher-kva.${name}` },
    })
    // It is found by any of these forms.
    expect(await owner.get(encodeURIComponent(`BÜCHER.${name}`))).toEqual(unicode)
  })

  it('checks immediately, and shows the record of the zone that contains the host', async () => {
    const { name } = world.buy()
    const record = async (host: string) => (await owner.add(host)).record
    expect(await owner.add(`docs.${name}`)).toMatchObject({
      project: owner.slug,
      badge: 'add_dns_record',
      ownership: 'unproven',
      provenBy: null,
      dns: 'missing',
      record: { type: 'CNAME', name: 'docs', value: target, ttlSeconds: 3600 },
      verification: {
        isRequired: false,
        name: '_animal-store.docs',
        host: `_animal-store.docs.${name}`,
      },
      check: { result: 'missing', zone: name, diagnostics: [{ code: 'D07' }] },
    })
    expect(await record(`en.v2.docs.${name}`)).toMatchObject({ type: 'CNAME', name: 'en.v2.docs' })
    expect(await record(name)).toMatchObject({ type: 'ALIAS', name: '@', host: name })
  })

  it('lists the domains of all projects, page by page', async () => {
    type Page = { items: { host: string; project: object }[]; next: string | null }
    const hosts: string[] = []
    let next = ''
    do {
      const path = `/domains?limit=2${next && `&after=${encodeURIComponent(next)}`}`
      const page = await owner.person.read<Page>(path)
      for (const { host, project } of page.items) {
        hosts.push(host)
        expect(project).toEqual({ slug: owner.slug, name: owner.slug })
      }
      next = page.next ?? ''
    } while (next !== '')
    const { items } = await owner.read<Domains>('')
    expect(hosts).toEqual(items.map(({ host }) => host))
    expect(hosts.length).toBeGreaterThan(2)
  })

  it('shows the record relative to a delegated sub-zone', async () => {
    const parent = world.buy()
    const name = `team.${parent.name}`
    const child = createZone(name, zoneHead(name, 1, platformServerNames))
    for (const server of platformServerNames) {
      parent.put('team', 'NS', `${server}.`)
      const { zones } = world.lab.dns.servers.get(server) ?? {}
      zones?.set(name, { read: () => child, fault: 'none' })
    }
    expect(await owner.add(`docs.${name}`)).toMatchObject({
      dns: 'missing',
      record: { type: 'CNAME', name: 'docs', host: `docs.${name}` },
      check: { zone: name },
    })
    const apex = await owner.add(name)
    expect(apex.record).toMatchObject({ type: 'ALIAS', name: '@' })
    // In the panel of the zone above, @ would be another site.
    const servers = platformServerNames.join(' and ')
    expect(apex.check?.diagnostics[0]?.fix?.text).toContain(
      `ANAME record in the zone ${name} (at the provider of ${servers}): name @,`,
    )
  })

  it('is added even if DNS does not respond', async () => {
    const zone = world.buy()
    for (const n of [1, 2, 3, 4]) zone.server(n, { fault: 'refusing' })
    const added = await owner.add(`docs.${zone.name}`)
    expect(added).toMatchObject({ dns: 'unchecked', badge: 'fix_dns' })
    expect(added.check).toMatchObject({ result: 'unknown', diagnostics: [{ code: 'D03' }] })
  })

  it('is added once for each owner, with where it already is', async () => {
    const { host } = await owner.addNew()
    const again = await owner.post('', { host: host.toUpperCase() })
    expect(again).toMatchObject({
      status: 409,
      json: { code: 'domain_taken', message: `${host} is on this project already.` },
    })
    const second = await world.asOwner(owner.person)
    expect((await second.read<Domains>('')).items).toEqual([])
    const notFound = refusal(404, 'domain_not_found')
    expect(await second.ask(`/${host}`)).toMatchObject(notFound)
    const elsewhere = await second.post('', { host })
    expect(elsewhere).toMatchObject({
      status: 409,
      json: {
        code: 'domain_taken',
        details: [{ path: 'host', message: expect.stringContaining(owner.slug) }],
      },
    })
    // Others may add it, and do not learn who has it.
    const stranger = await world.owner()
    const path = `/projects/${owner.slug}/domains/${host}`
    expect(await stranger.ask(`/${host}/events`)).toMatchObject(notFound)
    const log = await stranger.person.ask(`${path}/events`)
    expect(log).toMatchObject(refusal(404, 'project_not_found'))
    const claim = await stranger.add(host)
    expect(claim).toMatchObject({ project: stranger.slug, verification: { isRequired: true } })
    expect(JSON.stringify(claim)).not.toContain(owner.slug)
    // An operator sees what the owner sees.
    expect(await world.operator.read(path)).toEqual(await owner.get(host))
    const { items } = await world.operator.read<{ items: object[] }>(`${path}/events`)
    expect(items).toEqual(await owner.events(host))
  })

  it('is limited to 50 domains', async () => {
    const many = await world.owner()
    const { name } = world.buy()
    const add = (i: number) => many.post('', { host: `d${i}.${name}` })
    // A few at once: a busy machine would answer more with a 503.
    for (let from = 0; from < 50; from += 10) {
      const added = await Promise.all(Array.from({ length: 10 }, (_, i) => add(from + i)))
      expect(added.map(({ status }) => status)).toEqual(Array(10).fill(201))
    }
    expect(await add(50)).toMatchObject({
      status: 409,
      json: { code: 'limit_reached', message: expect.stringContaining('50 domains at most') },
    })
    const { items } = await many.read<Domains>('')
    const hosts = items.map(({ host }) => host)
    expect(hosts).toHaveLength(50)
    expect(hosts).toEqual([...hosts].sort())
    await many.remove(`d7.${name}`)
    expect((await add(50)).status).toBe(201)
  })

  describe('checking a host without adding it', () => {
    let zone: BoughtZone
    beforeAll(() => {
      zone = world.buy()
    })

    const ask = (body: object) => owner.person.post('/domain-checks', body)
    const check = async (body: object) => expectJson(await ask(body), 200) as DomainCheck

    it('shows the current state and that with planned records, and stores nothing', async () => {
      const host = `docs.${zone.name}`
      expect(await check({ host })).toMatchObject({
        host,
        result: 'missing',
        zone: zone.name,
        diagnostics: [{ code: 'D07', fix: { add: [{ type: 'CNAME', value: target }] } }],
      })
      expect((await owner.ask(`/${host}`)).status).toBe(404)
      // With planned records, as lines or JSON.
      const planned = JSON.stringify([{ name: 'docs', type: 'CNAME', value: `${target}.` }])
      expect(await check({ host, planned })).toMatchObject({ result: 'ok', diagnostics: [] })
      expect(await check({ host, planned: `docs IN CNAME ${target}` })).toMatchObject({
        ...{ result: 'wrong_target', diagnostics: [{ code: 'D06', severity: 'blocks' }] },
      })
      zone.put('there', 'CNAME', `${target}.`)
      expect(await check({ host: `https://there.${zone.name}/` })).toMatchObject({
        host: `there.${zone.name}`,
        result: 'ok',
      })
    })

    it('reports what it cannot parse, with the position', async () => {
      const host = `docs.${zone.name}`
      expect(await ask({ host, planned: `docs CNAME ${target}.\ndocs SOA x` })).toMatchObject({
        status: 400,
        json: {
          code: 'invalid_body',
          details: [{ path: 'planned', message: expect.stringMatching(/^Line 2: "SOA" is not/) }],
        },
      })
      expect((await ask({ host: 'docs' })).json).toMatchObject({ details: [{ path: 'host' }] })
      expect((await ask({})).json).toMatchObject({ details: [{ path: 'host' }] })
      expect((await ask({ host, planned: 'x'.repeat(20_001) })).status).toBe(400)
    })
  })
})
