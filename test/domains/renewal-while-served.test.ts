// A certificate is renewed repeatedly while clients use its host: no handshake fails, and open connections stay open.

import { describe, expect, it, onTestFinished } from 'vitest'
import type { Pebble } from '../../lab/certificate-authority/pebble.ts'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { askHttp2, openHttp2, openTls } from '../edge/clients.ts'
import { eventually } from '../eventually.ts'
import { newMarker, startVisitors } from '../live-move/visitors.ts'
import { shared } from '../shared.ts'
import { startDomains } from './domains-in-test.ts'

const hour = 3_600_000
const renewals = 4

describe.each(cases(engines))('renewal on %s', (engine) => {
  const inTest = shared(() => startDomains(engine, { hasAuthority: true }))

  it('is not noticed by clients', async () => {
    const pebble = inTest.lab.authority as unknown as Pebble
    const { httpsPort: port, root: ca } = inTest
    const owner = await inTest.owner()
    const { host } = await owner.addProven()
    await owner.until(host, ({ badge }) => badge === 'active')

    await owner.person.deployFolder(owner.slug, { 'index.html': `<title>${newMarker}</title>` })
    const visitors = startVisitors({
      ...{ lab: inTest.lab, host, perSecond: 50, now: () => inTest.store.clock.now },
    })
    onTestFinished(visitors.stop)
    const kept = await openHttp2(port, host, ca)

    const shown = async (): Promise<string> => {
      const socket = await openTls(port, host, ca)
      const certificate = socket.getPeerX509Certificate()?.toString() ?? ''
      socket.destroy()
      return certificate
    }
    const seen = new Set([await shown()])
    for (let renewed = 0; renewed < renewals; renewed++) {
      const before = await shown()
      const start = new Date(inTest.store.clock.now - 2 * hour).toISOString()
      const end = new Date(inTest.store.clock.now - hour).toISOString()
      await pebble.setRenewalInfo(before, JSON.stringify({ suggestedWindow: { start, end } }))
      // The authority is asked again within half a day.
      inTest.pass(13 * hour)
      // An attempt may fail on a busy machine, where a self-check has 2.5 s: the next one comes within an hour.
      const hourly = setInterval(() => inTest.pass(hour), 8_000)
      try {
        seen.add(await eventually(shown, (certificate) => certificate !== before))
        expect((await askHttp2(kept, { ':path': '/' })).status).toBe(200)
      } catch {
        expect(await owner.get(host)).toBe('renewed')
      } finally {
        clearInterval(hourly)
      }
    }
    await visitors.stop()
    kept.destroy()
    expect(visitors.failures()).toEqual([])
    expect(seen.size).toBe(renewals + 1)
    expect(visitors.count('new')).toBeGreaterThan(renewals)
  })
})
