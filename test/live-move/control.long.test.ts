// The control of the measurement: the same move without a certificate that is prepared. Visitors must see errors,
// or the measurement of zero-downtime.long.test.ts would prove nothing.
// In npm test: test/domains/prepared-domains.test.ts.
import { expect, it } from 'vitest'
import { startDomains, target } from '../domains/domains-in-test.ts'
import { eventually } from '../eventually.ts'
import { shared } from '../shared.ts'
import { newMarker, startVisitors } from './visitors.ts'

const inTest = shared(() => startDomains('sqlite', { hasAuthority: true }))

it('without a prepared certificate, visitors see errors during the move', async () => {
  const owner = await inTest.owner()
  await owner.person.deployFolder(owner.slug, { 'index.html': `<title>${newMarker}</title>` })
  const zone = inTest.buy()
  const host = `docs.${zone.name}`
  zone.put('docs', 'CNAME', 'sites.dovecote.test.', 60)
  await owner.add(host)
  const visitors = startVisitors({
    ...{ lab: inTest.lab, host, perSecond: 20, now: () => inTest.store.clock.now },
    onTick: () => inTest.pass(1000),
  })
  await eventually(
    async () => visitors.count('old'),
    (count) => count > 30,
  )
  expect(visitors.failures()).toEqual([])
  const record = { name: 'docs', type: 'CNAME', value: `${target}.`, ttlSeconds: 60 } as const
  inTest.lab.domains.putRecords(zone.name, [record])
  await eventually(
    async () => visitors.failures().length,
    (count) => count > 10,
  )
  await eventually(
    () => owner.verify(host),
    ({ badge }) => badge === 'active',
  )
  await eventually(
    async () => visitors.count('new'),
    (count) => count > 30,
  )
  await visitors.stop()
  const failures = new Set(visitors.failures().map(({ seen }) => JSON.stringify(seen)))
  expect([...failures]).toEqual([expect.stringMatching(/EPROTO/)])
})
