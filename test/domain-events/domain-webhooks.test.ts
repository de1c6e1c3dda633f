// A project's webhook receives the events of its domains: signed, retried when it fails, and sent only to allowed
// addresses.

import { describe, expect, it } from 'vitest'
import type { DomainWebhook } from '#domains/api/event-schema.ts'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { type Owner, startDomains } from '../domains/domains-in-test.ts'
import { expectJson, hour, minute } from '../publishing/publishing-in-test.ts'
import { refusal, startStore } from '../running-store.ts'
import { shared } from '../shared.ts'
import { accept, answerWith, isSigned, type Received, startReceiver } from '../webhooks/receiver.ts'

describe.each(cases(engines))('the webhook of a project on %s', (engine) => {
  const world = shared(() =>
    startDomains(engine, { env: { PROJECT_WEBHOOK_ALLOW: '127.0.0.0/8' } }),
  )

  const at = ({ slug }: Owner, more = '') => `/projects/${slug}/domain-webhook${more}`
  const put = (owner: Owner, url: string) => owner.person.put(at(owner), { url })
  const remove = (owner: Owner) => owner.person.delete(at(owner))
  const test = (owner: Owner) => owner.person.post(at(owner, '/test'))
  const set = async (owner: Owner, url: string) =>
    (expectJson(await put(owner, url), 200) as { secret: string }).secret
  const seen = (owner: Owner) => owner.person.read<DomainWebhook>(at(owner))
  const typesOf = (received: Received[]) => received.map(({ type }) => type)

  it('receives what the owner gets by mail, signed, in order', async () => {
    const owner = await world.owner()
    const receiver = await startReceiver()
    const secret = await set(owner, receiver.url)
    const { host } = await owner.addProven()
    const [live] = await receiver.took(1)
    expect(live).toMatchObject({
      type: 'domain.active',
      data: { project: owner.slug, event: { type: 'active', host }, domain: { host } },
    })
    await owner.remove(host)
    const all = await receiver.took(2)
    expect(typesOf(all)).toEqual(['domain.active', 'domain.removed'])
    expect(all[1]?.data.domain).toBeNull()
    for (const one of all) expect(await isSigned(one, secret)).toBe(true)
    expect(all[1]).toMatchObject({
      id: (all[1] as Received & { data: { event: { id: string } } }).data.event.id,
    })
    await expect.poll(() => seen(owner)).toMatchObject({ status: 204 })
  })

  it('is retried with the same id and body, and shows its status in the meantime', async () => {
    const owner = await world.owner()
    const receiver = await startReceiver(answerWith(500))
    await set(owner, receiver.url)
    await owner.addProven()
    await receiver.took(1)
    const failing = { status: 500, error: 'answered 500', failingSince: expect.any(String) }
    await expect.poll(() => seen(owner)).toMatchObject(failing)
    receiver.reply = accept
    world.pass(10_000)
    const [first, second] = await receiver.took(2)
    expect([second?.id, second?.text]).toEqual([first?.id, first?.text])
    await expect.poll(() => seen(owner)).toMatchObject({ failingSince: null })
  })

  it('is sent by one process of several, and by another after that one stops', async () => {
    const owner = await world.owner()
    const receiver = await startReceiver(answerWith(503))
    await set(owner, receiver.url)
    const { place } = world.store
    const other = await startStore(engine, { place, env: { PROJECT_WEBHOOK_ALLOW: '127.0.0.0/8' } })
    other.clock.now = world.store.clock.now
    await owner.addProven()
    await receiver.took(1)
    receiver.reply = accept
    other.clock.now += hour
    await receiver.took(2)
    await test(owner)
    await other.release()
    expect(typesOf(receiver.received)).toEqual(['domain.active', 'domain.active', 'domain.test'])
  })

  it('can be tested, and receives nothing after it is removed', async () => {
    const owner = await world.owner()
    const receiver = await startReceiver(answerWith(500))
    await set(owner, receiver.url)
    const tried = expectJson(await test(owner), 200)
    expect(tried).toMatchObject({ status: 500, error: 'answered 500' })
    await owner.addProven()
    await receiver.took(2)
    expect((await remove(owner)).status).toBe(204)
    expect(await remove(owner)).toMatchObject(refusal(404, 'webhook_not_found'))
    expect(await test(owner)).toMatchObject({ status: 404 })
    // Anything due would be sent before this.
    world.pass(10 * minute)
    const next = await world.owner()
    const marker = await startReceiver()
    await set(next, marker.url)
    await next.addProven()
    await marker.took(1)
    expect(receiver.received).toHaveLength(2)
  })

  it('shows its secret once, and gets a new one whenever it is set', async () => {
    const owner = await world.owner()
    const receiver = await startReceiver()
    const before = await set(owner, receiver.url)
    const after = await set(owner, receiver.url)
    expect(after).not.toBe(before)
    expect((await owner.person.ask(at(owner))).text).not.toContain('whsec_')
    await test(owner)
    const [sent] = receiver.received as [Received]
    expect([await isSigned(sent, before), await isSigned(sent, after)]).toEqual([false, true])
  })

  it.each([
    ['ftp://example.com/', 'has to begin with https'],
    ['http://10.0.0.1/', 'not a public address'],
    ['https://[::1]/', 'not a public address'],
    ['https://user:password@example.com/', 'user name'],
  ])('refuses %s', async (url, reason) => {
    const owner = await world.owner()
    const refused = await put(owner, url)
    expect(refused).toMatchObject(refusal(400, 'invalid_body'))
    expect(refused.text).toContain(reason)
    expect(await owner.person.ask(at(owner))).toMatchObject({ status: 404 })
  })
})
