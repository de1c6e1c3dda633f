// Attempts to get the host of another owner by one click at the DNS provider: without consent, with a link that was made
// before the owner came, with the return of somebody else. All are refused.

import { describe, expect, it } from 'vitest'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { type Owner, target } from '../domains/domains-in-test.ts'
import { shared } from '../shared.ts'
import {
  atConsent,
  comeBack,
  getConnect,
  type Started,
  start,
  startConnect,
} from './connect-in-test.ts'

describe.each(cases(engines))('on %s', (engine) => {
  const inTest = shared(() => startConnect(engine))
  const attacker = shared(() => inTest.owner())
  const victim = shared(() => inTest.owner())

  /** A zone of the victim, whose `docs` points to the platform already. */
  function leftOver() {
    const zone = inTest.buy()
    zone.put('docs', 'CNAME', `${target}.`)
    return { zone, host: `docs.${zone.name}` }
  }

  const stateOf = ({ url }: Started) => new URL(url).searchParams.get('state') ?? ''
  const pretend = (owner: Owner, started: Started) =>
    comeBack(owner, `http://localhost/connect/${stateOf(started)}`)

  it('reports a success without consent', async () => {
    const { host } = leftOver()
    await attacker.add(host)
    const started = await start(attacker, host)
    inTest.pass(11_000)
    expect((await pretend(attacker, started)).status).toBe(200)
    expect((await attacker.get(host)).ownership).toBe('unproven')
    expect((await attacker.verify(host)).verification.isRequired).toBe(true)
  })

  it('keeps a link that proves ownership until the owner comes, and has the owner consent', async () => {
    const { host, zone } = leftOver()
    await attacker.add(host)
    const started = await start(attacker, host)
    expect(started.adds.map(({ type }) => type)).toEqual(['TXT'])
    const { verification } = await victim.add(host)
    const own = `animal-store-verify=${verification.value.split('=')[1]}`
    zone.put('_animal-store.docs', 'TXT', own)
    expect(await victim.verify(host)).toMatchObject({ ownership: 'proven', provenBy: 'txt' })
    // The owner is talked into it. The proof of the owner stays; that of the attacker is worth nothing.
    await atConsent(inTest, started.url, 'confirm')
    const texts = inTest.lab.domains
      .describe(zone.name)
      .records.filter(({ type }) => type === 'TXT')
    expect(texts.map(({ value }) => value)).toContain(own)
    expect((await attacker.verify(host)).ownership).toBe('disputed')
    expect((await victim.verify(host)).ownership).toBe('proven')
    zone.clear('_animal-store.docs').put('_animal-store.docs', 'TXT', started.adds[0]?.value ?? '')
    expect((await attacker.verify(host)).ownership).not.toBe('proven')
  })

  it('prepares the live site of an owner who comes later, and keeps the link', async () => {
    const zone = inTest.buy()
    zone.put('docs', 'CNAME', 'sites.dovecote.test.')
    const host = `docs.${zone.name}`
    await attacker.add(host, { prepare: true })
    const started = await start(attacker, host)
    expect(started.adds.map(({ type }) => type)).toEqual(['TXT'])
    await victim.add(host)
    await atConsent(inTest, started.url, 'confirm')
    const refused = await attacker.verify(host)
    expect(refused).toMatchObject({ ownership: 'unproven', certificate: { state: 'none' } })
    expect(refused.records.filter(({ purpose }) => purpose === 'challenge')).toEqual([])
  })

  it('gets no link for a host that another account claims, holds, or held lately', async () => {
    const refused = async (host: string) => {
      const response = await attacker.post(`/${host}/connect`)
      expect(response.json).toMatchObject({ code: 'connect_unavailable' })
      expect((await getConnect(attacker, host)).reason).toBe('held_by_other')
    }
    const { host } = await victim.addProven()
    await attacker.add(host)
    await refused(host)
    await victim.remove(host)
    await refused(host)
    const { host: claimed } = leftOver()
    await victim.add(claimed)
    await attacker.add(claimed)
    await refused(claimed)
  })

  it('uses the return of the victim, or a link of the victim with other values', async () => {
    const { host } = await victim.addNew()
    const started = await start(victim, host)
    expect((await pretend(attacker, started)).json).toMatchObject({ code: 'link_not_valid' })
    const elsewhere = started.url.replace(/domain=[^&]+/, 'domain=acorn1.example')
    expect((await atConsent(inTest, elsewhere)).refused).toContain('The signature does not match')
    expect((await attacker.ask(`/${host}/connect`)).status).toBe(404)
    expect((await attacker.post(`/${host}/connect`)).status).toBe(404)
  })
})
