// The whole procedure of the specification: zones at the lab's registrar, real DNS packets, certificates by Pebble,
// HTTPS for clients that trust only Pebble's root, and removal.
import type { ClientHttp2Session } from 'node:http2'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Domain } from '#domains/api/schema.ts'
import { forward, issueForLab, listen, listenHttps } from '../../lab/web/web-servers.ts'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { ask, askHttp2, handshakeFault, openHttp2, openTls } from '../edge/clients.ts'
import { ask as askHttp } from '../running-store.ts'
import { shared } from '../shared.ts'
import { type Owner, startDomains, target } from './domains-in-test.ts'

describe.each(cases(engines))('the procedure on %s', (engine) => {
  const inTest = shared(() => startDomains(engine, { hasAuthority: true }))
  const untilActive = (owner: Owner, host: string): Promise<Domain> =>
    owner.until(host, ({ badge }) => badge === 'active')
  const overHttp = (host: string, path = '/') =>
    askHttp(inTest.store.running.config.httpPort, new URL(`http://${host}`), '', path.slice(1), {
      key: null,
    })

  it('a subdomain: the record, verified, certified, served', async () => {
    const owner = await inTest.owner()
    const zone = inTest.buy()
    const host = `docs.${zone.name}`
    const added = await owner.add(host)
    expect(added).toMatchObject({
      badge: 'add_dns_record',
      record: { type: 'CNAME', name: 'docs', value: target },
    })
    zone.put('docs', 'CNAME', target)
    expect((await owner.verify(host)).ownership).toBe('proven')
    const active = await untilActive(owner, host)
    expect(active.certificate).toMatchObject({ state: 'issued' })
    const page = await ask(inTest.httpsPort, host, inTest.root)
    expect([page.status, page.text]).toEqual([200, `<title>${owner.slug}</title>`])
    expect(page.headers['strict-transport-security']).toMatch(/^max-age=\d+$/)
    const session = await openHttp2(inTest.httpsPort, host, inTest.root)
    expect((await askHttp2(session, { ':path': '/' })).text).toBe(page.text)
    session.destroy()
    // A request over HTTP is redirected.
    const plain = await overHttp(host, '/a?b=c')
    expect([plain.status, plain.headers.location]).toEqual([301, `https://${host}/a?b=c`])
    expect(await handshakeFault(inTest.httpsPort, `other.${zone.name}`)).toMatch(
      /UNRECOGNIZED_NAME/,
    )
  })

  it('an apex by ALIAS, and its www pair with a redirect: each has its own certificate', async () => {
    const owner = await inTest.owner()
    const zone = inTest.buy('burrow')
    const [apex, www] = [zone.name, `www.${zone.name}`]
    expect((await owner.add(apex)).record).toMatchObject({ type: 'ALIAS', name: '@' })
    await owner.add(www)
    zone.put('@', 'ALIAS', target).put('www', 'CNAME', target)
    for (const host of [apex, www]) {
      await owner.verify(host)
      await untilActive(owner, host)
      const socket = await openTls(inTest.httpsPort, host, inTest.root)
      expect(socket.getPeerCertificate().subjectaltname).toBe(`DNS:${host}`)
      socket.destroy()
    }
    const wanted = { primary: www, redirects: [{ from: apex, to: www, status: 301 }] }
    const path = `/projects/${owner.slug}/domain-configuration`
    const saved = await owner.person.put(path, wanted)
    expect([saved.status, saved.json]).toEqual([200, wanted])
    const moved = await ask(inTest.httpsPort, apex, inTest.root, '/guide/?page=2')
    expect([moved.status, moved.headers.location]).toEqual([301, `https://${www}/guide/?page=2`])
    expect((await ask(inTest.httpsPort, www, inTest.root)).status).toBe(200)
  })

  it('removal: open connections, resumed sessions and new ones are refused at once', async () => {
    const owner = await inTest.owner()
    const [zone, other] = [inTest.buy(), inTest.buy()]
    const [host, stays] = [`docs.${zone.name}`, `docs.${other.name}`]
    for (const each of [host, stays]) await owner.add(each)
    zone.put('docs', 'CNAME', target)
    other.put('docs', 'CNAME', target)
    for (const each of [host, stays]) {
      await owner.verify(each)
      await untilActive(owner, each)
    }
    const open: ClientHttp2Session = await openHttp2(inTest.httpsPort, host, inTest.root)
    const kept = await openHttp2(inTest.httpsPort, stays, inTest.root)
    expect((await askHttp2(open, { ':path': '/' })).status).toBe(200)
    const first = await openTls(inTest.httpsPort, host, inTest.root, { minVersion: 'TLSv1.3' })
    const session = await new Promise<Buffer>((resolve) => first.once('session', resolve))
    first.destroy()
    const again = await openTls(inTest.httpsPort, host, inTest.root, { session })
    expect(again.isSessionReused()).toBe(true)
    again.destroy()

    const removed = await owner.remove(host)
    expect(removed.offline).toMatchObject({ nodes: { acknowledged: 1, living: 1 }, tls: 'refused' })
    expect(removed.offline?.seconds).toBeLessThan(5)
    await expect(askHttp2(open, { ':path': '/' })).rejects.toThrow()
    expect(await handshakeFault(inTest.httpsPort, host, { session })).toMatch(/UNRECOGNIZED_NAME/)
    expect(await handshakeFault(inTest.httpsPort, host)).toMatch(/UNRECOGNIZED_NAME/)
    expect((await overHttp(host)).status).toBe(404)
    expect((await askHttp2(kept, { ':path': '/' })).status).toBe(200)
    kept.destroy()
  })
})

describe('with the authority of the lab', () => {
  const inTest = shared(() =>
    startDomains('sqlite', { hasAuthority: true, labEnv: { PEBBLE: '' } }),
  )

  it('a proxy that redirects every request to HTTPS: the challenge is followed there', async () => {
    const owner = await inTest.owner()
    const zone = inTest.buy()
    const host = `docs.${zone.name}`
    const { ports, secondNode, server } = inTest.lab.topology
    const front = await listen(secondNode, ports.http, ({ headers, url }, response) =>
      response.writeHead(301, { location: `https://${headers.host}${url}` }).end(),
    )
    onTestFinished(() => front.close())
    const certificate = await issueForLab(['proxy.test'])
    const secure = await listenHttps(secondNode, ports.https, certificate, (asked, response) =>
      forward(asked, response, { address: server, port: ports.http, path: asked.url ?? '' }),
    )
    onTestFinished(() => secure.close())
    const { verification } = await owner.add(host)
    zone.put('docs', 'A', secondNode).put('_animal-store.docs', 'TXT', verification.value)
    const verified = await owner.verify(host)
    expect(verified.ownership).toBe('proven')
    expect(verified.check?.diagnostics.map(({ code }) => code)).toEqual(['D20'])
    const active = await owner.until(host, ({ badge }) => badge === 'active')
    expect(active.certificate).toMatchObject({ state: 'issued' })
  })
})
