// The event log of domains: of a project, of one host, in pages, with the actor.
import { describe, expect, it } from 'vitest'
import type { DomainEvent } from '#domains/api/event-schema.ts'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { type Owner, startDomains } from '../domains/domains-in-test.ts'
import { day, expectJson, minute } from '../publishing/publishing-in-test.ts'
import { shared } from '../shared.ts'

interface Page {
  items: DomainEvent[]
  next: string | null
}

describe.each(cases(engines))('the log of domains on %s', (engine) => {
  const world = shared(() => startDomains(engine))

  const eventsOf = ({ person, slug }: Owner, query = '') =>
    person.read<Page>(`/projects/${slug}/domain-events${query}`)

  it('shows when a domain was added, proven, moved and removed, and by whom', async () => {
    const owner = await world.owner()
    const { host, zone } = await owner.addProven()
    zone.clear('docs')
    await owner.verify(host)
    await owner.remove(host)
    const actor = { id: owner.person.account.id, name: 'Somebody' }
    const { items, next } = await eventsOf(owner)
    // Events of its certificate are not part of this test.
    const others = ['active', 'certificate_ordered', 'configured', 'failed']
    const mine = items.filter(({ type }) => !others.includes(type))
    expect(mine.map(({ actor, detail, type }) => ({ actor, detail, type }))).toEqual([
      { actor, type: 'removed', detail: {} },
      { actor: null, type: 'dns_changed', detail: { from: 'ok', to: 'drifting' } },
      { actor: null, type: 'verified', detail: { provenBy: 'pointer' } },
      { actor: null, type: 'dns_changed', detail: { from: 'missing', to: 'ok' } },
      { actor: null, type: 'dns_changed', detail: { from: 'unchecked', to: 'missing' } },
      { actor, type: 'added', detail: {} },
    ])
    expect(next).toBeNull()
    expect(items.every((event) => event.host === host)).toBe(true)
    // Only of this host, although it has been removed.
    expect(await owner.read(`/${host}/events`)).toEqual({ items, next: null })
  })

  it('reports once, as final, that a host points elsewhere', async () => {
    const owner = await world.owner()
    const { host, zone } = await owner.addProven()
    zone.clear('docs')
    await owner.verify(host)
    world.pass(11 * minute)
    await owner.verify(host)
    world.pass(7 * day)
    await owner.verify(host)
    const said = (await eventsOf(owner)).items.filter(
      ({ type }) => type === 'at_risk' || type === 'lost',
    )
    expect(said.map(({ detail, type }) => [type, detail.because])).toEqual([
      ['lost', 'dns'],
      ['at_risk', 'dns'],
    ])
  })

  it('reports what was configured, and nothing that stayed the same', async () => {
    const owner = await world.owner()
    const zone = world.buy()
    const [apex, www] = [zone.name, `www.${zone.name}`]
    for (const host of [apex, www]) await owner.add(host)
    const path = `/projects/${owner.slug}/domain-configuration`
    const body = { primary: www, redirects: [{ from: apex, to: www, status: 301 }] }
    for (let times = 0; times < 2; times++) {
      expectJson(await owner.person.put(path, body), 200)
    }
    const said = (await eventsOf(owner)).items.filter(({ type }) => type === 'configured')
    expect(said.map(({ actor, detail, host }) => [host, actor?.id, detail])).toEqual([
      [www, owner.person.account.id, { role: 'primary' }],
      [apex, owner.person.account.id, { role: 'redirect', redirectTo: www, redirectStatus: 301 }],
    ])
  })

  it('continues where a page ended', async () => {
    const owner = await world.owner()
    const zone = world.buy()
    for (const label of ['a', 'b', 'c']) await owner.add(`${label}.${zone.name}`)
    const all = (await eventsOf(owner)).items
    const walked: DomainEvent[] = []
    for (let query = '?limit=2'; query !== ''; ) {
      const { items, next } = await eventsOf(owner, query)
      expect(items.length).toBeLessThanOrEqual(2)
      walked.push(...items)
      query = next === null ? '' : `?limit=2&before=${next}`
    }
    expect(walked).toEqual(all)
    expect(all.length).toBeGreaterThanOrEqual(6)
    expect(await eventsOf(owner, '?before=evt_unknown')).toEqual({ items: [], next: null })
  })

  it('is deleted after 400 days', async () => {
    const owner = await world.owner()
    await owner.add(`docs.${world.buy().name}`)
    expect((await eventsOf(owner)).items).not.toEqual([])
    world.pass(401 * day)
    await owner.person.signIn()
    await world.store.running.publishing.maintain()
    // It may have been suspended in the meantime, which is a new event.
    expect((await eventsOf(owner)).items.map(({ type }) => type)).not.toContain('added')
  })
})
