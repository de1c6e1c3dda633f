// The checklist before a live site is switched to us, over the management API.

import { describe, expect, it } from 'vitest'
import type { Domain } from '#domains/api/schema.ts'
import type { DomainSwitch } from '#domains/checks/switch-schema.ts'
import { platformHost } from '../../lab/network/topology.ts'
import { isLong } from '../cases.ts'
import { anyEngine } from '../database.ts'
import { eventually } from '../eventually.ts'
import { expectJson } from '../publishing/publishing-in-test.ts'
import { shared } from '../shared.ts'
import { startDomains, target } from './domains-in-test.ts'

describe.each(anyEngine)('the switch of a live domain on %s', (engine) => {
  const inTest = shared(() => startDomains(engine, { hasAuthority: true }))
  const owner = shared(() => inTest.owner())

  const read = (host: string) => owner.read<DomainSwitch>(`/${host}/switch`)
  const item = ({ items }: DomainSwitch, code: string) => items.find((one) => one.code === code)

  /** A live site at the other platform, whose domain is added and proven by TXT. */
  async function liveSite() {
    const zone = inTest.buy()
    const host = `docs.${zone.name}`
    zone.put('docs', 'CNAME', 'sites.dovecote.test.', 3600)
    const { verification } = await owner.add(host)
    zone.put(verification.name, 'TXT', verification.value)
    expect(await owner.verify(host)).toMatchObject({ ownership: 'proven', dns: 'wrong_target' })
    return { zone, host }
  }

  /** The same with its certificate, by the TXT record of the challenge. */
  async function preparedSite() {
    const { host, zone } = await liveSite()
    expectJson(await owner.patch(`/${host}`, { prepare: true }), 200)
    const challengeOf = ({ records }: Domain) =>
      records.find(({ purpose, state }) => purpose === 'challenge' && state === 'required')
    const asked = await owner.until(host, (domain) => challengeOf(domain) !== undefined)
    zone.put('_acme-challenge.docs', 'TXT', challengeOf(asked)?.value ?? '')
    await expect.poll(() => owner.verify(host)).toMatchObject({ badge: 'ready_to_switch' })
    return { host, zone }
  }

  // First, because the orders of Pebble are open for an hour, by the clock of the machine.
  it('says that the old site has HTTPS: browsers may refuse the host without a certificate', async () => {
    const { host } = await liveSite()
    expect(item(await read(host), 'https')).toEqual({
      ...{ code: 'https', state: 'advice', fix: null, until: null },
      title: 'The old site has HTTPS',
      detail: 'Prepare the certificate first: browsers may refuse this host without HTTPS.',
    })
    // Nobody has us ask somebody else's site, or a private address.
    const foreign = inTest.buy().put('docs', 'CNAME', 'sites.dovecote.test.')
    const inside = inTest.buy().put('docs', 'A', '10.0.0.7')
    for (const zone of [foreign, inside]) await owner.add(`docs.${zone.name}`)
    const { verification } = await owner.get(`docs.${inside.name}`)
    inside.put(verification.name, 'TXT', verification.value)
    for (const [zone, ownership] of [
      [foreign, 'unproven'],
      [inside, 'proven'],
    ] as const) {
      const other = `docs.${zone.name}`
      expect((await owner.verify(other)).ownership).toBe(ownership)
      expect(item(await read(other), 'https')).toBeUndefined()
    }
    const ready = await read((await preparedSite()).host)
    expect(ready).toMatchObject({ ready: true, state: 'ready' })
    expect(item(ready, 'https')).toBeUndefined()
  })

  if (isLong)
    it('finds an HTTPS record that leads browsers to the old site', async () => {
      const { host, zone } = await liveSite()
      zone.clear('docs').put('docs', 'A', inTest.lab.topology.otherPlatform)
      await owner.verify(host)
      expect(item(await read(host), 'records')?.state).toBe('passed')
      zone.put('docs', 'HTTPS', `1 . alpn=h2 ipv4hint=${inTest.lab.topology.otherPlatform}`)
      inTest.lab.dns.clearResolvers()
      await expect
        .poll(async () => item(await read(host), 'records'))
        .toMatchObject({
          state: 'failed',
          title: `An HTTPS record of ${host} leads browsers elsewhere`,
          fix: 'If browsers should come here, delete this HTTPS record, or change its address hints. The others stay.',
        })
    })

  if (isLong)
    it('names an address of ours that does not present the certificate', async () => {
      const { host } = await preparedSite()
      expect(item(await read(host), 'presented')?.state).toBe('passed')
      const { proxy } = inTest.lab.topology
      inTest.lab.dns.setPlatformRecords([
        { name: platformHost, ttlSeconds: 60, type: 'A', address: proxy },
      ])
      inTest.lab.dns.clearResolvers()
      const found = await eventually(
        () => read(host),
        (seen) => item(seen, 'presented')?.state === 'failed',
      )
      expect(found).toMatchObject({ ready: false, state: 'preparing' })
      expect(item(found, 'presented')).toMatchObject({
        title: 'Certificate not presented everywhere',
        detail: `${proxy} presents no certificate for this host.`,
        fix: 'The operator has to check the nodes and the load balancer.',
      })
      inTest.lab.dns.setPlatformRecords([])
      inTest.lab.dns.clearResolvers()
    })

  it('says what is missing, which record to change, and how to lower its TTL', async () => {
    const { host, zone } = await liveSite()
    const first = await read(host)
    expect(first).toMatchObject({
      ...{ host, ready: false, state: 'preparing', bestFrom: null },
      change: {
        from: [{ name: host, type: 'CNAME', value: 'sites.dovecote.test', ttlSeconds: 3600 }],
        to: { type: 'CNAME', name: 'docs', value: target, ttlSeconds: 300 },
      },
      preview: {
        command: `curl --connect-to ${host}:443:${target}:443 https://${host}/`,
        hostsLine: `127.0.0.1 ${host}`,
      },
      removable: [],
    })
    expect(item(first, 'ownership')?.state).toBe('passed')
    expect(item(first, 'records')?.state).toBe('passed')
    expect(item(first, 'caa')?.state).toBe('passed')
    expect(item(first, 'ttl')).toMatchObject({
      state: 'advice',
      fix: 'Lower its TTL to 300 seconds, and wait 3600 seconds before you switch.',
    })
    // Caches that asked before it was lowered keep the old answer for its old TTL.
    inTest.lab.domains.putRecords(zone.name, [
      { name: 'docs', type: 'CNAME', value: 'sites.dovecote.test.', ttlSeconds: 60 },
    ])
    await owner.verify(host)
    const lowered = await read(host)
    expect(item(lowered, 'ttl')?.state).toBe('passed')
    expect(item(lowered, 'caches')?.state).toBe('advice')
    const { now } = inTest.store.clock
    expect(Date.parse(lowered.bestFrom ?? '')).toBe(now + 3_540_000)
    inTest.pass(3_600_000)
    const later = await read(host)
    expect(item(later, 'caches')?.state).toBe('passed')
    expect(Date.parse(later.bestFrom ?? '')).toBe(inTest.store.clock.now)
  })

  it('judges DNS as it will be: CAA of the zone, not of the old target; records beside a CNAME', async () => {
    const { host, zone } = await liveSite()
    inTest.lab.otherPlatform.caa = 'own_authority'
    expect(item(await read(host), 'caa')?.state).toBe('passed')
    zone.put('@', 'CAA', '0 issue "other-ca.example"')
    await owner.verify(host)
    expect(item(await read(host), 'caa')).toMatchObject({
      state: 'failed',
      title: `CAA at ${zone.name} allows only other-ca.example`,
      fix: expect.stringMatching(/^Add a CAA record: name @, value 0 issue "/),
    })
    inTest.lab.otherPlatform.caa = 'any_authority'
    zone.clear('@').clear('docs')
    zone.put('docs', 'A', '192.0.2.7').put('docs', 'MX', '10 mail.example.com.')
    await owner.verify(host)
    const beside = await read(host)
    expect(item(beside, 'records')).toMatchObject({ state: 'failed' })
    expect(beside.change.from).toMatchObject([{ type: 'A', value: '192.0.2.7' }])
  })

  it('does not take CAA that it could not ask for at an apex for none', async () => {
    const zone = inTest.buy()
    zone.put('@', 'A', '192.0.2.7')
    const { verification } = await owner.add(zone.name)
    zone.put(verification.name, 'TXT', verification.value)
    for (let i = 1; i <= zone.servers; i++) zone.server(i, { fault: 'failing_caa' })
    await owner.verify(zone.name)
    expect(item(await read(zone.name), 'caa')?.state).toBe('failed')
  })

  it('is shown by a command, with exit status 1 while something is missing', async () => {
    const { host } = await liveSite()
    const words = ['domains', 'switch', host, '--project', owner.slug]
    const shown = await owner.run(words)
    expect(shown).toMatchObject({ status: 1, stderr: '' })
    expect(shown.stdout).toContain(`${host}: Not ready to switch\n`)
    expect(shown.stdout).toContain('  ✓ Ownership proven\n  … No certificate yet\n')
    expect(shown.stdout).toMatch(/From\s+CNAME\s+docs\S+\s+sites\.dovecote\.test\s+TTL 3600/)
    expect(shown.stdout).toContain(
      `  curl --connect-to ${host}:443:${target}:443 https://${host}/\n`,
    )
    const waited = await owner.run([...words, '--wait', '--timeout', '1s', '--json'])
    expect(waited.status).toBe(1)
    expect(JSON.parse(waited.stdout)).toMatchObject({ host, state: 'preparing' })
  })
})
