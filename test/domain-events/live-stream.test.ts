// A reader of a project's event stream gets the events of its domains live: from every process, resumed after the
// last one seen, and only while access lasts.

import { afterAll, describe, expect, it } from 'vitest'
import type { StreamedEvent } from '#domains/api/event-schema.ts'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { type Owner, startDomains, target } from '../domains/domains-in-test.ts'
import { type RunningStore, startStore } from '../running-store.ts'
import { shared } from '../shared.ts'
import { type EventReader, followByHttp1, type ReadEvent } from './event-reader.ts'

const us = `${target}.`

describe.each(cases(engines))('the stream of events on %s', (engine) => {
  const world = shared(() => startDomains(engine, { start: { streamLimits: { checkMs: 50 } } }))
  const owner = shared(() => world.owner())
  const open: EventReader[] = []
  afterAll(() => {
    for (const reader of open) reader.close()
  })

  async function follow(
    { person, slug }: Owner,
    { store = world.store, token, ...headers }: FollowOptions = {},
  ): Promise<EventReader & { token: string }> {
    const own = token ?? (await person.token(['projects:read']))
    const reader = await followByHttp1(
      store.running.config.httpPort,
      `/projects/${slug}/domain-events/stream`,
      { authorization: `Bearer ${own}`, ...headers },
    )
    open.push(reader)
    return Object.assign(reader, { token: own })
  }

  interface FollowOptions {
    store?: RunningStore
    token?: string
    'last-event-id'?: string
  }

  const dataOf = (event: ReadEvent): StreamedEvent => event.data as StreamedEvent

  it("sends each event with the domain's current state", async () => {
    const reader = await follow(owner)
    expect(reader).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' },
    })
    const { host, zone } = await owner.addNew()
    const added = await reader.next()
    expect(added).toMatchObject({ name: 'added', data: { domain: { host }, event: { host } } })
    expect(added.id).toBe(dataOf(added).event.id)
    zone.put('docs', 'CNAME', us)
    await owner.verify(host)
    // Nothing happens to an active domain while the clock stands still.
    const active = await reader.nextOf('active')
    expect(dataOf(active).domain).toEqual(await owner.get(host))
    await owner.remove(host)
    expect(dataOf(await reader.nextOf('removed')).domain).toBeNull()
  })

  it('resumes after the last event seen, without a gap', async () => {
    const first = await follow(owner)
    const zone = world.buy()
    await owner.add(`a.${zone.name}`)
    const seen = await first.nextOf('added')
    first.close()
    for (const label of ['b', 'c', 'd']) await owner.add(`${label}.${zone.name}`)
    const second = await follow(owner, { 'last-event-id': seen.id })
    const hosts: string[] = []
    while (hosts.length < 3) hosts.push(dataOf(await second.nextOf('added')).event.host)
    expect(hosts).toEqual(['b', 'c', 'd'].map((label) => `${label}.${zone.name}`))
  })

  it('has the events that another process wrote', async () => {
    const other = await startStore(engine, { place: world.store.place })
    try {
      const reader = await follow(owner, { store: other })
      const { host } = await owner.addNew()
      expect(await reader.nextOf('added')).toMatchObject({ data: { event: { host } } })
      reader.close()
    } finally {
      await other.release()
    }
  })

  it('has no events of other projects', async () => {
    const stranger = await world.owner()
    const reader = await follow(stranger)
    await owner.add(`docs.${world.buy().name}`)
    const { host } = await stranger.addNew()
    expect(await reader.next()).toMatchObject({ data: { event: { host } } })
    const token = await stranger.person.token()
    expect(await follow(owner, { token })).toMatchObject({ status: 404 })
  })

  it('ends when the token is revoked', async () => {
    const reader = await follow(owner)
    await reader.comment()
    const listed = await owner.person.ask('/account/tokens')
    for (const { id } of (listed.json as { items: { id: string }[] }).items) {
      await owner.person.delete(`/account/tokens/${id}`)
    }
    expect(await reader.ended).toBe('end')
    expect(await follow(owner, { token: reader.token })).toMatchObject({ status: 401 })
  })

  it('ends when the project is deleted', async () => {
    const brief = await world.owner()
    const reader = await follow(brief)
    await brief.deleteProject()
    expect(await reader.ended).toBe('end')
  })

  it('ends when the program stops', async () => {
    const other = await startStore(engine, { place: world.store.place })
    const reader = await follow(owner, { store: other })
    await reader.comment()
    const since = performance.now()
    await other.release()
    expect(await reader.ended).toBe('end')
    expect(performance.now() - since).toBeLessThan(3000)
  })
})
