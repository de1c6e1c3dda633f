// The search over projects, custom domains and accounts: members find their own, operators all.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import {
  expectJson,
  type Person,
  type PublishingInTest,
  startPublishing,
} from './publishing-in-test.ts'

describe.each(cases(engines))('the search on %s', (engine) => {
  let publishing: PublishingInTest
  let rosa: Person
  beforeAll(async () => {
    publishing = await startPublishing(engine)
    rosa = await publishing.member('paid')
    await rosa.create('handbook', 'Rosa_s Handbook')
    await (await publishing.member()).create('other-handbook', 'Other')
    await rosa.deployFolder('handbook', { 'index.html': 'x' })
    const body = { host: 'docs.rosa.example' }
    expectJson(await rosa.ask('/projects/handbook/domains', { body }), 201)
  })
  afterAll(() => publishing.release())

  const find = async (text: string, by: Person) =>
    expectJson(await by.ask(`/search?text=${encodeURIComponent(text)}`), 200)

  it('finds projects and domains by any part of their names', async () => {
    const { operator } = publishing
    const own = { slug: 'handbook', name: 'Rosa_s Handbook' }
    const other = { slug: 'other-handbook', name: 'Other' }
    expect(await find('HANDBOOK', rosa)).toEqual({ projects: [own], domains: [] })
    expect(await find('handbook', operator)).toMatchObject({ projects: [own, other] })
    const domains = [{ host: 'docs.rosa.example', project: own }]
    expect(await find('rosa.ex', rosa)).toEqual({ projects: [], domains })
    expect(await find('_s', operator)).toEqual({ projects: [own], domains: [] })
    for (const none of ['%', '_', ' ', 'nothing'])
      expect(await find(none, await publishing.member())).toEqual({ projects: [], domains: [] })
  })

  it('lists names that begin with the text first', async () => {
    const { member } = publishing
    const owner = await member('paid')
    for (const slug of ['changelog', 'hare']) await owner.create(slug)
    expect(await find('ha', owner)).toMatchObject({
      projects: [{ slug: 'hare' }, { slug: 'changelog' }],
    })
  })

  it('refuses what PostgreSQL cannot compare', async () => {
    const { operator } = publishing
    for (const path of ['/search?', '/accounts?', '/store/staging/search?']) {
      const refused = await operator.ask(`${path}text=%00`)
      expect(refused).toMatchObject({ status: 400, json: { code: 'invalid_parameter' } })
    }
    expect((await operator.ask('/store/staging/pets?name=a%00')).status).toBe(400)
  })

  it('finds accounts by name and email address, for operators', async () => {
    const { operator } = publishing
    const found = await operator.ask(`/accounts?text=${rosa.account.email.toUpperCase()}`)
    expect(expectJson(found, 200)).toMatchObject({ items: [{ id: rosa.account.id }], next: null })
    expect((await operator.ask('/accounts?text=%25')).json).toMatchObject({ items: [] })
  })
})
