// A live domain moves here: its certificate is issued while the site is served elsewhere. Over the API and by command
// line, in the lab with Pebble: records, status, events, removal.

import { describe, expect, it, onTestFinished } from 'vitest'
import type { Domain } from '#domains/api/schema.ts'
import type { DomainSwitch } from '#domains/checks/switch-schema.ts'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { ask, handshakeFault } from '../edge/clients.ts'
import { eventually } from '../eventually.ts'
import { newMarker, startVisitors } from '../live-move/visitors.ts'
import { shared } from '../shared.ts'
import { type Owner, startDomains, target } from './domains-in-test.ts'

describe.each(cases(engines))('a certificate before the switch on %s', (engine) => {
  const inTest = shared(() => startDomains(engine, { hasAuthority: true }))

  const purposes = ({ records }: Domain) => records.map(({ purpose, state }) => [purpose, state])
  const challengeOf = ({ records }: Domain) =>
    records.find(({ purpose }) => purpose === 'challenge')
  /** Verifies now and then, as the open page does, until it is so. */
  const until = (owner: Owner, host: string, isMet: (domain: Domain) => boolean) =>
    eventually(async () => {
      const seen = await owner.get(host)
      return isMet(seen) ? seen : await owner.verify(host)
    }, isMet)

  it('moves an apex with A and AAAA records, and no visitor sees an error', async () => {
    const owner = await inTest.owner()
    await owner.person.deployFolder(owner.slug, { 'index.html': `<title>${newMarker}</title>` })
    const zone = inTest.buy()
    const host = zone.name
    const { otherPlatform } = inTest.lab.topology
    zone.put('@', 'A', otherPlatform, 60).put('@', 'AAAA', '2001:db8::80', 60)
    const visitors = startVisitors({
      ...{ lab: inTest.lab, host, perSecond: 10, now: () => inTest.store.clock.now },
      onTick: () => inTest.pass(500),
    })
    onTestFinished(visitors.stop)
    const added = await owner.add(host, { prepare: true })
    expect(added).toMatchObject({
      ...{ badge: 'prepare_certificate', preparation: { state: 'requested' } },
      ...{ ownership: 'unproven', check: { diagnostics: [] }, record: { type: 'ALIAS' } },
    })
    expect(purposes(added)).toEqual([
      ['site', 'later'],
      ['ownership', 'required'],
    ])
    zone.put('_animal-store', 'TXT', added.verification.value)
    const asked = await until(
      owner,
      host,
      (domain) =>
        domain.certificate.state === 'awaiting_record' && challengeOf(domain) !== undefined,
    )
    const record = challengeOf(asked)
    expect(record).toMatchObject({
      ...{ name: '_acme-challenge', host: `_acme-challenge.${host}`, type: 'TXT' },
      ...{ state: 'required', replaces: null },
    })
    expect(Date.parse(record?.setBy ?? '')).toBeGreaterThan(Date.now() + 30 * 60_000)
    expect(await handshakeFault(inTest.httpsPort, host)).toMatch(/UNRECOGNIZED_NAME/)

    zone.put('_acme-challenge', 'TXT', record?.value ?? '')
    expect(await until(owner, host, ({ badge }) => badge === 'ready_to_switch')).toMatchObject({
      ...{ serving: 'https', dns: 'conflict', certificate: { state: 'issued' } },
    })
    // Before the switch: the site under its own name, to every client that connects here.
    const page = await ask(inTest.httpsPort, host, inTest.root)
    expect([page.status, page.text]).toEqual([200, `<title>${newMarker}</title>`])
    const read = () => owner.read<DomainSwitch>(`/${host}/switch`)
    const ready = await read()
    expect(ready).toMatchObject({ ready: true, state: 'ready' })
    expect(ready.change).toMatchObject({
      from: [
        { name: host, type: 'A', value: otherPlatform },
        { name: host, type: 'AAAA', value: '2001:db8::80' },
      ],
      to: { type: 'ALIAS', name: '@', value: target },
    })
    await expect.poll(() => visitors.count('old')).toBeGreaterThan(10)
    expect(visitors.count('new')).toBe(0)

    const alias = { name: '@', type: 'ALIAS', value: `${target}.`, ttlSeconds: 300 } as const
    inTest.lab.domains.putRecords(host, [alias])
    const active = await until(owner, host, ({ badge }) => badge === 'active')
    expect(active.preparation).toMatchObject({ state: 'switched', certificatesLeft: 0 })
    expect(purposes(active)).toEqual([
      ['site', 'found'],
      ['ownership', 'found'],
      ['challenge', 'obsolete'],
    ])
    expect((await owner.events(host)).map(({ type }) => type)).toEqual(
      expect.arrayContaining([
        ...['added', 'preparation_requested', 'verified', 'certificate_ordered'],
        ...['challenge_requested', 'certificate_prepared', 'switched', 'active'],
      ]),
    )
    await expect.poll(() => visitors.count('new')).toBeGreaterThan(20)
    await visitors.stop()
    expect(visitors.failures()).toEqual([])
    // The caches of the old records.
    inTest.pass(60_000)
    expect((await read()).removable.map(({ name }) => name)).toEqual([
      '_animal-store',
      '_acme-challenge',
    ])
    const removed = await owner.remove(host)
    expect(removed.authorizations).toBe(1)
    expect(removed.records.map(({ name, type }) => `${name} ${type}`).toSorted()).toEqual([
      `_acme-challenge.${host} TXT`,
      `_animal-store.${host} TXT`,
      `${host} A`,
    ])
  })

  it('by command line, and is canceled', async () => {
    const owner = await inTest.owner()
    const host = `docs.${inTest.buy().name}`
    const run = (...words: string[]) => owner.run(['domains', ...words, '--project', owner.slug])
    const added = await run('add', host, '--before-switch')
    expect(added.stdout).toContain('Your site stays where it is until you switch.')
    expect(added.stdout).toMatch(/Name +_animal-store\.docs/)
    const prepared = await run('prepare', host)
    expect(prepared.stdout).toContain(`${host}: Prepare certificate`)
    const canceled = await run('prepare', host, '--cancel')
    expect(canceled.stdout).toBe(`No certificate is requested for ${host} before the switch.\n`)
    expect(await owner.get(host)).toMatchObject({
      ...{ badge: 'add_dns_record', preparation: { state: 'off', since: null } },
    })
    const waited = await run('prepare', host, '--wait', '--timeout', '1s')
    expect(waited).toMatchObject({ status: 1 })
    expect(waited.stderr).toContain(`${host} is not ready yet: Prepare certificate.`)
  })
})
