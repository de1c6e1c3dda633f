// A plan expires: the domains of its owner are suspended until it is paid again, and stay theirs.

import { Agent } from 'node:http'
import { describe, expect, it, vi } from 'vitest'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { expectJson, hour } from '../publishing/publishing-in-test.ts'
import { runCommand } from '../served-process.ts'
import { shared } from '../shared.ts'
import { type Owner, startDomains, target } from './domains-in-test.ts'

describe.each(cases(engines))('plans and domains on %s', (engine) => {
  const world = shared(() => startDomains(engine))

  /** Sets the plan and runs the maintenance, which is due every 30 seconds. */
  async function plan({ person }: Owner, plan: 'free' | 'paid'): Promise<void> {
    const change = { method: 'PATCH', body: { plan } }
    expectJson(await world.operator.ask(`/accounts/${person.account.id}`, change), 200)
    await world.store.running.publishing.maintain()
  }

  const visit = async (host: string, agent = new Agent()): Promise<number> => {
    const { status } = await world.store.ask('/', { key: null, headers: { host }, agent })
    return status
  }

  it('suspends domains that were served, and serves them again', async () => {
    const [owner, other] = [await world.owner(), await world.owner()]
    const { host } = await owner.addProven()
    const { host: second } = await owner.addProven()
    const { host: foreign } = await other.addProven()
    const before = await visit(host)
    await plan(owner, 'free')
    for (const one of [host, second]) {
      expect(await owner.get(one)).toMatchObject({
        badge: 'suspended',
        serving: 'suspended',
        ownership: 'proven',
      })
      expect(await visit(one)).toBe(503)
    }
    expect((await other.get(foreign)).serving).not.toBe('suspended')
    // Neither checks nor time resume it.
    world.pass(hour)
    expect(await owner.verify(host)).toMatchObject({ badge: 'suspended', dns: 'ok' })
    await plan(owner, 'paid')
    expect((await owner.get(host)).badge).not.toBe('suspended')
    expect((await owner.get(second)).serving).toMatch(/^https?/)
    expect(await visit(host)).toBe(before)
  })

  it('names the domains that a plan set at the command line suspends, and the way back', async () => {
    const owner = await world.owner()
    const { host } = await owner.addProven()
    const { email } = owner.person.account
    const set = (plan: string) => runCommand(world.store.place, ['accounts', 'plan', email, plan])
    const { status, stdout } = await set('free')
    expect([status, stdout]).toEqual([
      0,
      `${email} is on the free plan now.
The free plan has no custom domains. These are suspended; their names stay reserved:
  ${host} of ${owner.slug}
To serve them again: animal-store accounts plan ${email} paid
`,
    ])
    expect((await set('paid')).stdout).toBe(`${email} is on the paid plan now.\n`)
  })

  it('never interrupts the response that a domain is suspended', async () => {
    const owner = await world.owner()
    const { host } = await owner.addProven()
    await plan(owner, 'free')
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const opened = vi.spyOn(agent, 'createConnection')
    expect(await visit(host, agent)).toBe(503)
    expect(await owner.remove(host)).toMatchObject({ offline: { connectionsCut: 0 } })
    expect(await visit(host, agent)).toBe(404)
    expect(opened).toHaveBeenCalledTimes(1)
    agent.destroy()
  })

  it('keeps a suspended name for its owner', async () => {
    const owner = await world.owner()
    const { host } = await owner.addProven()
    await plan(owner, 'free')
    const stranger = await world.owner()
    expect(await stranger.add(host)).toMatchObject({ ownership: 'disputed' })
  })

  it('suspends a domain that is proven after the plan has expired, but never those of operators', async () => {
    const owner = await world.owner()
    const { host, zone } = await owner.addNew()
    await plan(owner, 'free')
    expect(await owner.get(host)).toMatchObject({ badge: 'add_dns_record', serving: 'off' })
    zone.put('docs', 'CNAME', target)
    expect(await owner.verify(host)).toMatchObject({ ownership: 'proven' })
    const { host: operators } = await (await world.asOwner(world.operator)).addProven()
    await world.store.running.publishing.maintain()
    expect(await owner.get(host)).toMatchObject({ badge: 'suspended' })
    expect(await visit(operators)).not.toBe(503)
  })
})
