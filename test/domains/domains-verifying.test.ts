// Verifying a domain: what proves it, what a failing DNS never changes, what changes later, and what is stored of a
// check.

import { describe, expect, it } from 'vitest'
import type { Evidence } from '#doctor/evidence.ts'
import { judge } from '#doctor/rules/judge.ts'
import type { Domain, Domains } from '#domains/api/schema.ts'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { expectJson, hour, minute } from '../publishing/publishing-in-test.ts'
import { ask, refusal } from '../running-store.ts'
import { shared } from '../shared.ts'
import { provenByPointer, startDomains, target } from './domains-in-test.ts'

const us = `${target}.`

describe.each(cases(engines))('verifying a domain on %s', (engine) => {
  const world = shared(() => startDomains(engine))
  const owner = shared(() => world.owner())

  it('proves a subdomain by its CNAME', async () => {
    const zone = world.buy()
    const host = `docs.${zone.name}`
    expect(await owner.add(host)).toMatchObject({ badge: 'add_dns_record', ownership: 'unproven' })
    zone.put('docs', 'CNAME', 'elsewhere.example.')
    expect(await owner.verify(host)).toMatchObject({
      badge: 'fix_dns',
      ownership: 'unproven',
      dns: 'wrong_target',
      check: { diagnostics: [{ code: 'D12', expected: [target] }] },
    })
    zone.clear('docs').put('docs', 'CNAME', us)
    const domain = await owner.verify(host)
    expect(domain).toMatchObject({ ...provenByPointer, verification: { isRequired: false } })
    expect(withoutCertificateState(await owner.get(host))).toEqual(withoutCertificateState(domain))
    const { items } = await owner.read<Domains>('')
    expect(items.map(withoutCertificateState)).toContainEqual(withoutCertificateState(domain))
  })

  it('says to fix DNS where adding the record is not what helps', async () => {
    const badges = async (host: string) => {
      const { badge, check } = await owner.verify(host)
      const { items } = await owner.read<Domains>('')
      const listed = items.find((each) => each.host === host)?.badge
      return [check?.diagnostics[0]?.code, badge, listed]
    }
    const unregistered = 'docs.unsold.example'
    await owner.add(unregistered)
    expect(await badges(unregistered)).toEqual(['D02', 'fix_dns', 'fix_dns'])
    const doubled = world.buy('pigeon')
    await owner.add(`docs.${doubled.name}`)
    doubled.put(`docs.${doubled.name}`, 'CNAME', us)
    expect(await badges(`docs.${doubled.name}`)).toEqual(['D05', 'fix_dns', 'fix_dns'])
    const unsigned = world.buy()
    unsigned.put('docs', 'CNAME', us)
    world.lab.domains.breakDnssec(unsigned.name, true)
    await owner.add(`docs.${unsigned.name}`)
    expect(await badges(`docs.${unsigned.name}`)).toEqual(['D04', 'fix_dns', 'fix_dns'])
  })

  it('tells visitors of a domain that is not verified, or removed, what its owner can do', async () => {
    const zone = world.buy()
    const host = `docs.${zone.name}`
    const { httpPort } = world.store.running.config
    const visit = (accept: string) =>
      ask(httpPort, new URL(`http://${host}`), '', '/', { key: null, headers: { accept } })
    const expectExplained = async () => {
      const page = await visit('text/html,application/xhtml+xml,*/*;q=0.8')
      expect([page.status, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
      expect(page.text).toContain('add it to a project under Project settings, Domains')
      expect(page.text).toContain('If you have removed it, delete its DNS record.')
      const program = await visit('application/json')
      expect([program.status, program.json]).toMatchObject([404, { code: 'route_not_found' }])
    }
    await owner.add(host)
    await expectExplained()
    zone.put('docs', 'CNAME', us)
    await owner.verify(host)
    await owner.remove(host)
    await expectExplained()
  })

  it('waits until every name server has the record', async () => {
    const { host, zone } = await owner.addNew()
    zone.server(4, { delay: 'held' }).put('docs', 'CNAME', us)
    expect(await owner.verify(host)).toMatchObject({
      badge: 'propagating',
      ownership: 'unproven',
      dns: 'partial',
      check: { propagation: { responding: 4, updated: 3 }, diagnostics: [{ code: 'D08' }] },
    })
    zone.server(4, { delay: 0 })
    expect(await owner.verify(host)).toMatchObject(provenByPointer)
  })

  it('returns the last check for ten seconds', async () => {
    const zone = world.buy()
    const host = `docs.${zone.name}`
    const added = await owner.add(host)
    zone.put('docs', 'CNAME', us)
    const verify = () => owner.post(`/${host}/verify`)
    expect(expectJson(await verify(), 200)).toEqual(added)
    expect(Date.parse(added.nextVerifyAt ?? '') - Date.parse(added.checkedAt ?? '')).toBe(10_000)
    world.pass(9_999)
    expect(expectJson(await verify(), 200)).toEqual(added)
    world.pass(1)
    const later = expectJson(await verify(), 200) as Domain
    expect(later).toMatchObject(provenByPointer)
    expect(Date.parse(later.checkedAt ?? '') - Date.parse(added.checkedAt ?? '')).toBe(10_000)
  })

  it('changes nothing while DNS does not respond', async () => {
    const { host, zone } = await owner.addProven()
    for (const n of [1, 2, 3, 4]) zone.server(n, { fault: 'refusing' })
    for (const wait of [0, hour, 48 * hour]) {
      world.pass(wait)
      await owner.person.signIn()
      const checked = await owner.verify(host)
      expect(checked).toMatchObject({ ...provenByPointer, check: { result: 'unknown' } })
      expect(Date.parse(checked.checkedAt ?? '')).toBe(world.store.clock.now)
    }
  })

  it('is at risk after two checks in which no name server can be used, and stays what it is', async () => {
    const { host, zone } = await owner.addProven()
    const fail = (fault: 'lame' | 'none') => {
      for (const n of [1, 2, 3, 4]) zone.server(n, { fault })
    }
    const verify = async () => {
      await owner.person.signIn()
      const { badge, dns, ownership, serving, status } = await owner.verify(host)
      return { badge, dns, ownership, serving, step: status.steps[0]?.state }
    }
    const before = await verify()
    fail('lame')
    world.pass(minute)
    expect(await verify()).toEqual(before)
    const first = await owner.get(host)
    expect(first.status.sentence).toBe(`No name server of ${zone.name} can be used`)
    world.pass(9 * minute)
    expect(await verify()).toEqual(before)
    world.pass(minute)
    const atRisk = { ...before, badge: 'at_risk', step: 'failed' }
    expect(await verify()).toEqual(atRisk)
    world.pass(30 * 24 * hour)
    expect(await verify()).toEqual(atRisk)
    fail('none')
    world.pass(minute)
    expect(await verify()).toEqual(before)
    const events = await owner.events(host)
    const risks = events.filter(({ type }) => type === 'at_risk')
    expect(risks).toMatchObject([{ detail: { because: 'lookup' } }])
    expect(events.filter(({ type }) => type === 'dns_changed')).toHaveLength(2)
  })

  it('is checked again after the clock was set back', async () => {
    const { host, zone } = await owner.addProven()
    zone.clear('docs')
    world.pass(-3 * hour)
    const checked = await owner.verify(host)
    expect(checked).toMatchObject({ dns: 'drifting' })
    expect(Date.parse(checked.checkedAt ?? '')).toBe(world.store.clock.now)
    world.pass(3 * hour)
  })

  it('is drifting, then lost after ten minutes, and active as soon as it points to us', async () => {
    const { host, zone } = await owner.addProven()
    const says = async (badge: string, dns: string) =>
      expect(await owner.verify(host)).toMatchObject({ badge, dns, ownership: 'proven' })
    zone.clear('docs')
    await says('at_risk', 'drifting')
    world.pass(5 * minute)
    await says('at_risk', 'drifting')
    world.pass(5 * minute)
    await says('at_risk', 'lost')
    zone.put('docs', 'A', '192.0.2.1')
    await says('at_risk', 'lost')
    zone.clear('docs').put('docs', 'CNAME', us)
    expect(await owner.verify(host)).toMatchObject(provenByPointer)
    // Each period starts with its first failed check.
    zone.clear('docs')
    await says('at_risk', 'drifting')
  })

  it('accepts a TXT record, and shows what is wrong with one', async () => {
    const zone = world.buy()
    const host = `docs.${zone.name}`
    zone.put('docs', 'CNAME', us)
    const { badge, verification } = await owner.add(host)
    expect([badge, verification.isRequired]).toEqual(['prove_ownership', true])
    zone.put('_animal-store.docs', 'TXT', `"\\"${verification.value}\\""`)
    const wrong = await owner.verify(host)
    expect(wrong).toMatchObject({ badge: 'prove_ownership', ownership: 'unproven' })
    expect(wrong.check?.diagnostics.map(({ code }) => code)).toContain('D25')
    zone.clear('_animal-store.docs').put('_animal-store.docs', 'TXT', verification.value)
    expect(await owner.verify(host)).toMatchObject({ ...provenByPointer, provenBy: 'txt' })
    // Once proven, it stays proven without the record.
    zone.clear('_animal-store.docs')
    expect(await owner.verify(host)).toMatchObject({ ...provenByPointer, provenBy: 'txt' })
  })

  it('stores the evidence, which always leads to the same findings', async () => {
    const { host, zone } = await owner.addProven()
    zone.put('docs2', 'A', '192.0.2.7')
    const other = `docs2.${zone.name}`
    await owner.add(other)
    for (const [name, result] of [
      [host, 'ok'],
      [other, 'conflict'],
    ] as const) {
      const { check } = await owner.get(name)
      const evidence = await owner.read<Evidence>(`/${name}/evidence`)
      expect(evidence).toMatchObject({ format: 1, subject: { host: name } })
      expect(evidence.exchanges.length).toBeGreaterThan(5)
      const judged = judge(evidence)
      expect([judged.result, check?.result]).toEqual([result, result])
      expect(judged.diagnostics.map(({ title }) => title)).toEqual(
        check?.diagnostics.map(({ title }) => title),
      )
    }
  })

  it('returns 404 for a host that is not added', async () => {
    const host = 'docs.unknown.example'
    const missing = refusal(404, 'domain_not_found')
    for (const name of [host, 'not%20a%20name', '..', '%2e%2e', 'x'.repeat(300)])
      expect((await owner.ask(`/${name}`)).status).toBe(404)
    for (const path of ['evidence', 'events', 'switch'])
      expect(await owner.ask(`/${host}/${path}`), path).toMatchObject(missing)
    expect(await owner.post(`/${host}/verify`)).toMatchObject(missing)
    expect(await owner.delete(`/${host}`)).toMatchObject(missing)
  })
})

/** Without the fields that change while the certificate is issued. */
function withoutCertificateState({
  badge: _,
  certificate: __,
  serving: ___,
  status: ____,
  version: _____,
  ...rest
}: Domain) {
  return rest
}
