// Two accounts and one host: who has it, how it passes to the other, and what each of them sees.

import { beforeEach, describe, expect, it } from 'vitest'
import type { Domain } from '#domains/api/schema.ts'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import type { BoughtZone } from '../lab/buy-zone.ts'
import { shared } from '../shared.ts'
import { startDomains, target } from './domains-in-test.ts'

const us = `${target}.`
const at = '_animal-store.docs'
const codes = ({ check }: Domain) => check?.diagnostics.map(({ code }) => code)

describe.each(cases(engines))('a dispute on %s', (engine) => {
  let zone: BoughtZone
  let host: string
  const world = shared(() => startDomains(engine))
  const holder = shared(() => world.owner())
  const challenger = shared(() => world.owner())
  beforeEach(async () => {
    zone = world.buy()
    host = `docs.${zone.name}`
    await holder.add(host)
    zone.put('docs', 'CNAME', us)
    expect(await holder.verify(host)).toMatchObject({ ownership: 'proven', provenBy: 'pointer' })
  })

  it('is shown to the second account, with the record that settles it', async () => {
    const claim = await challenger.add(host)
    expect(claim).toMatchObject({
      ownership: 'disputed',
      badge: 'prove_ownership',
      dns: 'ok',
      verification: { isRequired: true, host: `_animal-store.${host}` },
    })
    expect(claim.check?.diagnostics[0]).toMatchObject({
      code: 'D24',
      title: `Another account holds ${host}`,
      fix: {
        add: [{ type: 'TXT', name: `_animal-store.${host}`, value: claim.verification.value }],
      },
    })
    // The accounts do not learn of each other, and the holder keeps the host.
    expect(JSON.stringify(claim)).not.toContain(holder.slug)
    expect(JSON.stringify(claim)).not.toContain((await holder.get(host)).verification.value)
    expect(await holder.verify(host)).toMatchObject({ ownership: 'proven', dns: 'ok' })
  })

  it('ends with the TXT record; the previous holder sees the reason and how to get it back', async () => {
    const claim = await challenger.add(host)
    zone.put(at, 'TXT', claim.verification.value)
    expect(await challenger.verify(host)).toMatchObject({
      ownership: 'proven',
      provenBy: 'txt',
      dns: 'ok',
    })
    const lost = await holder.get(host)
    expect(lost).toMatchObject({ ownership: 'revoked', provenBy: null, badge: 'prove_ownership' })
    const domain = await holder.verify(host)
    expect(domain).toMatchObject({ ownership: 'revoked', verification: { isRequired: true } })
    expect(codes(domain)).toContain('D24')
    // With both records the current holder keeps it.
    zone.put(at, 'TXT', domain.verification.value)
    const both = await holder.verify(host)
    expect(both).toMatchObject({ ownership: 'revoked', badge: 'prove_ownership' })
    expect(both.check?.diagnostics[0]?.fix?.text).toMatch(/^Delete the other TXT records at /)
    expect(await challenger.verify(host)).toMatchObject({ ownership: 'proven' })
    // With only its own record, the first account gets it back.
    zone.clear(at).put(at, 'TXT', domain.verification.value)
    expect(await holder.verify(host)).toMatchObject({ ownership: 'proven', provenBy: 'txt' })
    expect(await challenger.get(host)).toMatchObject({ ownership: 'revoked' })
  })

  it('stays with the holder when both records exist, and names the one to delete', async () => {
    zone.put(at, 'TXT', (await holder.get(host)).verification.value)
    const claim = await challenger.add(host)
    zone.put(at, 'TXT', claim.verification.value)
    const domain = await challenger.verify(host)
    expect(domain).toMatchObject({ ownership: 'disputed', badge: 'prove_ownership' })
    expect(domain.check?.diagnostics[0]).toMatchObject({
      code: 'D24',
      title: `Another account holds ${host}, and its TXT record is there`,
      fix: { text: `Delete the other TXT records at _animal-store.${host}.` },
    })
    expect(await holder.verify(host)).toMatchObject({ ownership: 'proven' })
  })

  it('is not settled while some name servers have only one of the records', async () => {
    zone.put(at, 'TXT', (await holder.get(host)).verification.value)
    const claim = await challenger.add(host)
    zone.server(4, { delay: 'held' })
    zone.clear(at).put(at, 'TXT', claim.verification.value)
    // Three servers have the challenger's record, one still the holder's.
    expect(await challenger.verify(host)).toMatchObject({ ownership: 'disputed' })
    expect(await holder.get(host)).toMatchObject({ ownership: 'proven' })
    zone.server(4, { delay: 0 })
    expect(await challenger.verify(host)).toMatchObject({ ownership: 'proven', provenBy: 'txt' })
    expect(await holder.get(host)).toMatchObject({ ownership: 'revoked' })
  })

  it('ends when the holder removes the domain, and TXT is still required', async () => {
    await challenger.add(host)
    await holder.remove(host)
    const claim = await challenger.verify(host)
    expect(claim).toMatchObject({ ownership: 'unproven', verification: { isRequired: true } })
    expect(claim.check?.diagnostics[0]?.title).toBe(
      `Another account held ${host} within the last 90 days`,
    )
    zone.put(at, 'TXT', claim.verification.value)
    expect(await challenger.verify(host)).toMatchObject({ ownership: 'proven', provenBy: 'txt' })
  })
})
