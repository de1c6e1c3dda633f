// No certificate: CAA forbids it, the authority refuses, or the authority is down. The reason is shown, no order is
// wasted, and the certificate is issued once the cause is gone.

import { createServer } from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Domain } from '#domains/api/schema.ts'
import type { FaultProxy } from '../acme/fault-proxy.ts'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { makeCertificate } from '../edge/certificates.ts'
import { ask } from '../edge/clients.ts'
import { freePort } from '../lab/free-addresses.ts'
import { shared } from '../shared.ts'
import { type Owner, startDomains, target } from './domains-in-test.ts'
import { expireCertificate } from './project-rows.ts'

const minute = 60_000

describe.each(cases(engines))('without a certificate on %s', (engine) => {
  /** The port where HTTPS is checked: closed until a test listens there. */
  let visitorsPort: number
  const inTest = shared(async () => {
    visitorsPort = await freePort()
    const env = { PUBLIC_HTTPS_PORT: `${visitorsPort}` }
    return await startDomains(engine, { hasAuthority: true, env })
  })
  const faults = () => inTest.faults as FaultProxy

  /** Advances the clock to the next attempt, and waits for its result. */
  async function nextAttempt(owner: Owner, host: string): Promise<Domain> {
    const { certificate } = await owner.get(host)
    const at = new Date(certificate.nextTryAt ?? 0).getTime()
    inTest.pass(Math.max(0, at - inTest.store.clock.now) + 1)
    return await owner.until(host, ({ badge, certificate: { failures } }) => {
      return badge === 'active' || failures > certificate.failures
    })
  }

  it('CAA forbids it: nothing is ordered until the record is fixed, then it continues automatically', async () => {
    const owner = await inTest.owner()
    const zone = inTest.buy()
    const host = `docs.${zone.name}`
    zone.put('@', 'CAA', '0 issue "other-authority.example"')
    await owner.add(host)
    zone.put('docs', 'CNAME', target)
    await owner.verify(host)
    const blocked = await owner.until(host, ({ badge }) => badge === 'needs_attention')
    expect(blocked.certificate).toMatchObject({ state: 'blocked', blockedBy: 'C01' })
    expect(blocked.check?.diagnostics[0]).toMatchObject({ code: 'C01', severity: 'blocks' })
    expect(blocked.check?.diagnostics[0]?.fix?.text).toContain('pebble.letsencrypt.org')
    const ordering = blocked.certificate.steps.find(({ step }) => step === 'ordering')
    expect(ordering?.state).toBe('waiting')

    zone.clear('@')
    inTest.pass(6 * minute)
    await owner.until(host, ({ badge }) => badge === 'active')
  })

  it('the authority refuses by CAA for half an hour: attention is required, and Re-verify retries at once', async () => {
    const owner = await inTest.owner()
    const { host, zone } = await owner.addNew()
    zone.put('docs', 'CNAME', target)
    const detail = `CAA record for ${zone.name} prevents issuance`
    faults().faultFor = (_method, path) =>
      path.includes('finalize') ? { kind: 'problem', type: 'caa', status: 403, detail } : undefined
    await owner.verify(host)
    const first = await owner.until(host, ({ certificate }) => certificate.failures === 1)
    expect(first).toMatchObject({
      badge: 'retrying',
      certificate: { problem: { type: 'caa', detail } },
    })
    let last = first
    while (last.badge !== 'needs_attention') {
      expect(last.certificate.failures).toBeLessThan(5)
      last = await nextAttempt(owner, host)
    }
    expect(last.certificate.problem).toMatchObject({ type: 'caa', detail })

    faults().faultFor = () => undefined
    await owner.verify(host)
    await owner.until(host, ({ badge }) => badge === 'active')
    const { config } = inTest.store.running
    const root = (await inTest.lab.authority?.root()) ?? ''
    expect((await ask(config.httpsPort ?? 0, host, root)).status).toBe(200)
  })

  it('a renewal failed: the finding is gone once the renewal succeeds', async () => {
    const owner = await inTest.owner()
    const { host } = await owner.addProven()
    await owner.until(host, ({ badge }) => badge === 'active')
    const codes = ({ check }: Domain) => check?.diagnostics.map(({ code }) => code)
    faults().faultFor = () => ({ kind: 'problem', type: 'serverInternal', status: 500 })
    const { clock, place } = inTest.store
    await expireCertificate(place, host, clock.now + 5 * 24 * 60 * minute, clock.now)
    await owner.until(host, ({ certificate }) => certificate.problem !== null)
    const failing = await owner.verify(host)
    expect(codes(failing)).toContain('T09')

    faults().faultFor = () => undefined
    inTest.pass(10 * minute)
    const renewed = await owner.until(host, ({ certificate: { problem, state } }) => {
      return problem === null && state === 'issued'
    })
    expect(codes(renewed)).not.toContain('T09')
  })

  it('another server has the port: its certificate and issuer are shown', async () => {
    const owner = await inTest.owner()
    const { host } = await owner.addProven()
    await owner.until(host, ({ badge }) => badge === 'active')
    const codes = (domain: Domain) => domain.check?.diagnostics.map(({ code }) => code) ?? []
    expect(codes(await owner.verify(host))).not.toContain('T08')
    const { chain: cert, key } = makeCertificate(['another.example'])
    const other = createServer({ key, cert, ALPNProtocols: ['http/1.1'] })
    other.on('tlsClientError', () => {})
    await new Promise<void>((resolve) => other.listen(visitorsPort, resolve))
    onTestFinished(() => void other.close())
    const { check } = await owner.verify(host)
    const diagnostic = check?.diagnostics.find(({ code }) => code === 'T08')
    expect(diagnostic?.severity).toBe('warns')
    expect(diagnostic?.title).toMatch(/^Another certificate is presented at 127\./)
  })
})
