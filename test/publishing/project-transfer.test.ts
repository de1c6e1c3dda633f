// Another owner for a project: offered to a member, accepted by it, with everything that is by owner; what the plan
// suspends is said before, and what it does not allow is refused.

import { describe, expect, it } from 'vitest'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { startDomains } from '../domains/domains-in-test.ts'
import { refusal } from '../running-store.ts'
import { shared } from '../shared.ts'
import { archiveOf } from './archive-of.ts'
import { day, expectJson, type Person } from './publishing-in-test.ts'

describe.each(cases(engines))('a project gets another owner on %s', (engine) => {
  const world = shared(() => startDomains(engine))

  const pathTo = (slug: string, person: Person) =>
    `/projects/${slug}/members/${person.account.id}/transfer`
  const offer = (slug: string, by: Person, to: Person) => by.post(pathTo(slug, to))
  const accept = async (person: Person) =>
    await person.answer((await person.received())[0]?.id, 'accept')
  const roleOf = async (slug: string, person: Person) =>
    (await person.read<{ role?: string }>(`/projects/${slug}`)).role
  const storage = async (person: Person) =>
    await person.read<{ files: number; bytes: number }>('/storage')
  const visit = async (host: string): Promise<number> =>
    (await world.store.ask('/', { key: null, headers: { host } })).status

  it('with its domains, quota and slugs, and stays as it is for visitors', async () => {
    const owner = await world.owner()
    const { person, slug } = owner
    const { host } = await owner.addProven()
    await person.deploy(slug, archiveOf({ 'index.html': 'hello' }))
    const heir = await world.member('paid')
    expect((await offer(slug, person, heir)).json).toMatchObject({ code: 'member_not_found' })
    await person.addMember(slug, heir, 'viewer')
    const effects = { suspendedDomains: [], refusal: null }
    expect((await person.ask(pathTo(slug, heir))).json).toEqual(effects)
    expect(await offer(slug, person, heir)).toMatchObject({ status: 201, json: { role: 'owner' } })
    expect(await roleOf(slug, heir)).toBe('viewer')
    expect(await heir.received()).toMatchObject([
      { project: { slug }, role: 'owner', transfer: effects },
    ])
    const before = [await visit(host), await storage(person)]
    expectJson(await accept(heir), 204)
    expect([await roleOf(slug, heir), await roleOf(slug, person)]).toEqual(['owner', 'editor'])
    expect([await visit(host), await storage(heir)]).toEqual(before)
    expect((await storage(person)).files).toBe(0)
    expect(await heir.received()).toEqual([])
    // The new owner verifies and removes the domain; nobody else has a claim to it.
    const domain = `/projects/${slug}/domains/${host}`
    expect((await heir.ask(domain)).json).toMatchObject({ ownership: 'proven' })
    expect((await person.delete(domain)).status).toBe(200)
    expect((await person.delete(`/projects/${slug}?name=${slug}`)).status).toBe(403)
    // The slug is reserved for the new owner.
    const { name } = await heir.read<{ name: string }>(`/projects/${slug}`)
    const query = new URLSearchParams({ name })
    expectJson(await heir.delete(`/projects/${slug}?${query}`), 204)
    expect((await person.post('/projects', { name: 'x', slug })).status).toBe(409)
    expect((await heir.post('/projects', { name: 'x', slug })).status).toBe(201)
    for (const one of [person, heir]) {
      expect(await one.actions()).toContain('project.transferred')
    }
  })

  it('and says before which domains its plan suspends', async () => {
    const owner = await world.owner()
    const { person, slug } = owner
    const { host } = await owner.addProven()
    const heir = await world.member('free')
    await person.addMember(slug, heir, 'editor')
    const effects = { suspendedDomains: [host], refusal: null }
    expect((await person.ask(pathTo(slug, heir))).json).toEqual(effects)
    await offer(slug, person, heir)
    expect(await heir.received()).toMatchObject([{ transfer: effects }])
    expect(await visit(host)).not.toBe(503)
    expectJson(await accept(heir), 204)
    expect(await visit(host)).toBe(503)
    const domain = await heir.ask(`/projects/${slug}/domains/${host}`)
    expect(domain.json).toMatchObject({ badge: 'suspended' })
    // And back, on a paid plan.
    expectJson(await offer(slug, heir, person), 201)
    expectJson(await accept(person), 204)
    expect(await visit(host)).not.toBe(503)
  })

  it('but not beyond its plan, nor for those who are no members any more', async () => {
    const owner = await world.owner()
    const { person, slug } = owner
    const heir = await world.member('free')
    await person.addMember(slug, heir, 'viewer')
    expectJson(await offer(slug, person, heir), 201)
    for (const name of ['one', 'two', 'three']) await heir.create(`${name}-${slug}`)
    const limited = { refusal: expect.stringContaining('the plan allows 3') }
    expect(await heir.received()).toMatchObject([{ transfer: limited }])
    expect(await accept(heir)).toMatchObject(refusal(409, 'limit_reached'))
    expect(await roleOf(slug, person)).toBe('owner')
    // The offer is still open then, and another one is refused at once.
    expect(await heir.received()).toHaveLength(1)
    expect(await offer(slug, person, heir)).toMatchObject({ json: { code: 'limit_reached' } })
    expect((await person.ask(pathTo(slug, heir))).json).toMatchObject(limited)

    // A host that the account has in another project.
    const other = await world.owner()
    const { host } = await owner.addProven()
    await other.add(host)
    await person.addMember(slug, other.person, 'viewer')
    expect(await offer(slug, person, other.person)).toMatchObject({
      status: 409,
      json: { code: 'conflict', message: expect.stringContaining(host) },
    })

    // Removed, replaced, expired.
    const [one, two] = [await world.member('paid'), await world.member('paid')]
    for (const member of [one, two]) await person.addMember(slug, member, 'viewer')
    await offer(slug, person, one)
    await offer(slug, person, two)
    expect(await one.received()).toEqual([])
    const members = `/projects/${slug}/members/${two.account.id}`
    const [offered] = await two.received()
    expectJson(await person.delete(members), 204)
    const late = await two.answer(offered?.id, 'accept')
    expect(late.json).toMatchObject({ code: 'invitation_not_found' })
    await offer(slug, person, one)
    world.pass(14 * day)
    await one.signIn()
    expect(await one.received()).toEqual([])
  })
})
