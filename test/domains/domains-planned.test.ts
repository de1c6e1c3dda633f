// Checks of hosts that are not added, over the management API: as they are, and with planned records.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DomainCheck } from '#domains/checks/check-schema.ts'
import type { BoughtZone } from '../lab/buy-zone.ts'
import { expectJson } from '../publishing/publishing-in-test.ts'
import { type DomainsInTest, type Owner, startDomains, target } from './domains-in-test.ts'

// Nothing is stored, so one engine is enough.
describe('checking a host without adding it', () => {
  let world: DomainsInTest
  let owner: Owner
  let zone: BoughtZone
  beforeAll(async () => {
    world = await startDomains('sqlite')
    owner = await world.owner()
    zone = world.buy()
  })
  afterAll(() => world.release())

  const ask = (body: object) => owner.person.ask('/domain-checks', { body })
  const check = async (body: object) => expectJson(await ask(body), 200) as DomainCheck

  it('shows the current state, and stores nothing', async () => {
    const host = `docs.${zone.name}`
    expect(await check({ host })).toMatchObject({
      host,
      result: 'missing',
      zone: zone.name,
      diagnostics: [{ code: 'D07', fix: { add: [{ type: 'CNAME', value: target }] } }],
    })
    expect((await owner.ask('')).json).toMatchObject({ items: [] })
    zone.put('there', 'CNAME', `${target}.`)
    expect(await check({ host: `https://there.${zone.name}/` })).toMatchObject({
      host: `there.${zone.name}`,
      result: 'ok',
    })
  })

  const plans: [string, string, DomainCheck['result'], string[]][] = [
    ['the right record', `docs 300 IN CNAME ${target}.`, 'ok', []],
    [
      'the same as JSON',
      JSON.stringify([{ name: 'docs', type: 'CNAME', value: `${target}.` }]),
      'ok',
      [],
    ],
    ['a value without its trailing dot', `docs IN CNAME ${target}`, 'wrong_target', ['D06']],
    ['a second record', `docs IN CNAME ${target}.\ndocs IN A 192.0.2.1`, 'conflict', ['D11']],
  ]
  it.each(plans)('judges %s before it is created', async (_, planned, result, codes) => {
    const checked = await check({ host: `docs.${zone.name}`, planned })
    expect(checked.result).toBe(result)
    expect(
      checked.diagnostics.filter(({ severity }) => severity === 'blocks').map(({ code }) => code),
    ).toEqual(codes)
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

  it('requires an account, or a token with the scope to read', async () => {
    const body = { host: `docs.${zone.name}` }
    const unauthenticated = await world.anonymous('/domain-checks', { body })
    expect(unauthenticated).toMatchObject({ status: 401, json: { code: 'not_signed_in' } })
    const writing = await owner.person.token(['domains:write'])
    const refused = await owner.person.ask('/domain-checks', { token: writing, body })
    expect(refused).toMatchObject({ status: 403, json: { code: 'insufficient_scope' } })
    const reading = await owner.person.token(['projects:read'])
    const allowed = await owner.person.ask('/domain-checks', { token: reading, body })
    expect(allowed.status).toBe(200)
  })
})
