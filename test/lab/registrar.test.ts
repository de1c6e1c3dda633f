// The registrar over HTTP, and the effect of its changes on DNS queries.
import { type IncomingMessage, request } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { ask, askHttp2, openHttp2 } from '../edge/clients.ts'
import { dig } from './dig.ts'
import { type StartedLab, startedLab } from './started-lab.ts'

const record = (name: string, type: string, value: string, ttlSeconds = 300) => {
  return { name, type, value, ttlSeconds }
}

async function bought(provider = 'burrow', options: Parameters<typeof startedLab>[0] = {}) {
  const lab = await startedLab(options)
  await lab.ask('POST /domains', { name: 'mossy.example', provider })
  const at = (words: string, server: string) => dig(server, lab.topology.ports.dns, words)
  const [first = '', second = ''] = lab.topology.providerServers[provider as 'burrow']
  return { lab, at, first, second, resolver: lab.topology.resolver }
}

const put = (lab: StartedLab, ...words: Parameters<typeof record>) =>
  lab.ask('POST /domains/mossy.example/records', record(...words))

/** With any path and host. */
const get = (url: string, path: string, host: string) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const asked = request({ hostname, port, path, headers: { host } }, (r) => resolve(r.resume()))
    asked.on('error', reject).end()
  })

test('a bought domain is delegated, and its records are served', async () => {
  const { at, first, lab, resolver } = await bought()
  expect(await put(lab, 'docs', 'CNAME', 'docs.animal-store.test.')).toMatchObject({ status: 200 })
  expect((await at('docs.mossy.example', lab.topology.registry)).authority).toHaveLength(4)
  const own = ['docs.mossy.example 300 CNAME docs.animal-store.test.']
  expect(await at('docs.mossy.example', first)).toMatchObject({ head: 'NOERROR aa', answer: own })
  expect(await at('docs.mossy.example +recurse', resolver)).toMatchObject({
    head: 'NOERROR ra',
    answer: ['docs.animal-store.test 60 A 127.0.0.1', ...own],
  })
  await lab.ask('DELETE /domains/mossy.example')
  expect((await at('docs.mossy.example', first)).head).toBe('REFUSED')
  expect((await at('mossy.example', lab.topology.registry)).head).toBe('NXDOMAIN aa')
})

test('a change reaches each server after its own delay, and is never reverted', async () => {
  const clock = { now: 1_000_000 }
  const { at, first, lab, second } = await bought('pigeon', { now: () => clock.now })
  const serverPath = (name: string) => `PUT /domains/mossy.example/servers/${name}`
  await lab.ask(serverPath('coo.pigeon.test'), { delay: 60 })
  await lab.ask(serverPath('roo.pigeon.test'), { delay: 'held' })
  await put(lab, '@', 'A', '192.0.2.1')
  const both = async () =>
    await Promise.all(
      [first, second].map(async (s) => (await at('mossy.example A', s)).answer.length),
    )
  const states = async () =>
    (
      (await lab.ask('GET /domains/mossy.example')).json.servers as {
        isCurrent: boolean
        dueAt: number | null
      }[]
    ).map(({ dueAt, isCurrent }) => [isCurrent, dueAt])
  expect(await both()).toEqual([0, 0])
  expect(await states()).toEqual([
    [false, 1_060_000],
    [false, null],
  ])
  clock.now += 60_000
  expect(await both()).toEqual([1, 0])
  await lab.ask(serverPath('coo.pigeon.test'), { delay: 3600 })
  expect(await both()).toEqual([1, 0])
  await lab.ask(serverPath('roo.pigeon.test'), { delay: 0 })
  expect(await both()).toEqual([1, 1])
})

test('the resolver caches records and absence until the TTL is over', async () => {
  const clock = { now: 1_000_000 }
  const { at, lab, resolver } = await bought('burrow', { now: () => clock.now })
  const seen = async () => await at('www.mossy.example A +recurse', resolver)
  expect(await seen()).toMatchObject({ head: 'NXDOMAIN ra' })
  await put(lab, 'www', 'A', '192.0.2.1', 100)
  clock.now += 59_000
  expect(await seen()).toMatchObject({ head: 'NXDOMAIN ra' })
  clock.now += 1_000
  expect((await seen()).answer).toEqual(['www.mossy.example 100 A 192.0.2.1'])
  const { records } = (await lab.ask('GET /domains/mossy.example')).json as {
    records: { id: number }[]
  }
  await lab.ask(
    `PUT /domains/mossy.example/records/${records[0]?.id}`,
    record('www', 'A', '192.0.2.2'),
  )
  clock.now += 30_000
  expect((await seen()).answer).toEqual(['www.mossy.example 70 A 192.0.2.1'])
  await lab.ask('POST /resolver/clear')
  expect((await seen()).answer).toEqual(['www.mossy.example 300 A 192.0.2.2'])
})

test('with DNSSEC broken the resolver fails, unless checking is disabled', async () => {
  const { at, lab, resolver } = await bought()
  await put(lab, 'www', 'A', '192.0.2.1')
  await lab.ask('PUT /domains/mossy.example/dnssec', { isBroken: true })
  expect((await at('mossy.example DS', lab.topology.registry)).answer).toHaveLength(1)
  const failed = await at('www.mossy.example A +recurse', resolver)
  expect(failed).toMatchObject({ head: 'SERVFAIL ra', answer: [] })
  expect(failed.text).toContain('EDE: 9 (DNSKEY Missing)')
  expect(await at('www.mossy.example A +recurse +cd', resolver)).toMatchObject({
    head: 'NOERROR ra cd',
    answer: ['www.mossy.example 300 A 192.0.2.1'],
  })
})

test('a resolver uses the servers that respond', async () => {
  const { at, lab, resolver } = await bought()
  await put(lab, 'www', 'A', '192.0.2.1')
  for (const [n, fault] of [
    [1, 'lame'],
    [2, 'refusing'],
    [3, 'servfail'],
  ]) {
    await lab.ask(`PUT /domains/mossy.example/servers/ns${n}.burrow.test`, { fault })
  }
  expect((await at('www.mossy.example A +recurse', resolver)).answer).toHaveLength(1)
})

test('ALIAS has the addresses of its target; a provider without it has none', async () => {
  const { at, first, lab } = await bought()
  await put(lab, '@', 'ALIAS', 'docs.animal-store.test')
  expect(await at('mossy.example A', first)).toMatchObject({
    head: 'NOERROR aa',
    answer: ['mossy.example 60 A 127.0.0.1'],
  })
  expect((await at('mossy.example ANY', first)).answer.join()).not.toContain('ALIAS')
  await lab.ask('PUT /domains/mossy.example/provider', { provider: 'pigeon' })
  expect((await at('mossy.example A', first)).head).toBe('REFUSED')
  const [coo = ''] = lab.topology.providerServers.pigeon
  expect(await at('mossy.example A', coo)).toMatchObject({ head: 'NOERROR aa', answer: [] })
  expect(await put(lab, '@', 'ALIAS', 'x.example.')).toMatchObject({
    status: 422,
    json: { code: 'invalid_record', details: [{ path: 'type' }] },
  })
})

test('one provider corrects the input, the other takes it literally', async () => {
  const name = async (provider: string, typed: string) => {
    const { lab } = await bought(provider)
    const { json } = await put(lab, typed, 'CNAME', 'docs.animal-store.test')
    return json.records
  }
  expect(await name('burrow', 'docs.mossy.example')).toMatchObject([
    { fullName: 'docs.mossy.example', value: 'docs.animal-store.test.' },
  ])
  expect(await name('pigeon', 'docs.mossy.example')).toMatchObject([
    {
      fullName: 'docs.mossy.example.mossy.example',
      value: 'docs.animal-store.test.mossy.example.',
    },
  ])
})

test('records that cannot be are refused, at the field', async () => {
  const { lab } = await bought()
  await put(lab, 'www', 'A', '192.0.2.1')
  const refused: [name: string, type: string, value: string, path: string][] = [
    ['docs', 'A', '300.1.1.1', 'value'],
    ['docs', 'AAAA', '192.0.2.1', 'value'],
    ['docs', 'MX', 'mail', 'value'],
    ['docs', 'CAA', 'letsencrypt', 'value'],
    ['docs', 'TXT', '', 'value'],
    ['do cs', 'A', '192.0.2.1', 'name'],
    ['docs.other.example.', 'A', '192.0.2.1', 'name'],
    ['x'.repeat(64), 'A', '192.0.2.1', 'name'],
    ['@', 'CNAME', 'a.example', 'type'],
    ['www', 'CNAME', 'a.example', 'type'],
    ['www', 'A', '192.0.2.1', 'value'],
    ['@', 'NS', 'ns.example', 'name'],
    ['docs', 'SOA', 'x', 'type'],
  ]
  for (const [name, type, value, path] of refused) {
    const { json, status } = await put(lab, name, type, value)
    expect({ status, details: json.details }, `${name} ${type} ${value}`).toMatchObject({
      status: 422,
      details: [{ path }],
    })
  }
})

test('every scenario can be applied, and the wildcard matches any name', async () => {
  const { at, first, lab } = await bought('pigeon')
  const { scenarios } = (await lab.ask('GET /lab')).json as { scenarios: { id: string }[] }
  for (const { id } of scenarios) {
    const path = 'PUT /domains/mossy.example/scenario'
    expect(await lab.ask(path, { scenario: id, name: 'docs' })).toMatchObject({ status: 200 })
    expect(await lab.ask(path, { scenario: id, name: '@' })).toMatchObject({ status: 200 })
  }
  expect((await at('anything.mossy.example CNAME', first)).answer).toEqual([
    'anything.mossy.example 300 CNAME docs.animal-store.test.',
  ])
  expect((await at('docs.mossy.example.mossy.example CNAME', first)).answer).toHaveLength(1)
  expect(await lab.ask('POST /reset')).toMatchObject({ status: 204 })
  expect((await lab.ask('GET /lab')).json.domains).toEqual([])
})

test('the other platform, the proxy and the browser proxy show where a name points', async () => {
  const { lab } = await bought()
  const scenario = (id: string) =>
    lab.ask('PUT /domains/mossy.example/scenario', { scenario: id, name: 'www' })
  const see = async (path = '/') => {
    const host = 'www.mossy.example'
    const { headers, statusCode } = await get(lab.browserProxyUrl, `http://${host}${path}`, host)
    return { status: statusCode, server: headers.server }
  }
  expect(await see()).toMatchObject({ status: 502 })
  await lab.ask('POST /resolver/clear')
  await scenario('old_address')
  expect(await see()).toEqual({ status: 200, server: 'Dovecote' })
  await lab.ask('POST /resolver/clear')
  await scenario('proxy')
  await lab.ask('PUT /proxy', { mode: 'block_challenges' })
  expect(await see('/.well-known/acme-challenge/x')).toEqual({ status: 403, server: 'otter-edge' })
  expect(await see()).toEqual({ status: 502, server: 'otter-edge' })
  await lab.ask('PUT /proxy', { mode: 'redirect_loop' })
  expect(await see()).toEqual({ status: 301, server: 'otter-edge' })
})

test('a live site at the other platform: HTTPS for its host, and CAA records of its target', async () => {
  const { at, first, lab, resolver } = await bought()
  await lab.ask('PUT /domains/mossy.example/scenario', { scenario: 'live_site', name: 'docs' })
  expect((await at('docs.mossy.example CNAME', first)).answer).toEqual([
    'docs.mossy.example 3600 CNAME sites.dovecote.test.',
  ])
  const { otherPlatform: address, ports } = lab.topology
  const host = 'docs.mossy.example'
  const ca = lab.visitorsRoots.join('')
  const old = await ask(ports.https, host, ca, '/guide/', {}, { host: address })
  expect([old.status, old.headers['x-platform']]).toEqual([200, 'Dovecote'])
  const session = await openHttp2(ports.https, host, ca, address)
  onTestFinished(() => session.close())
  expect((await askHttp2(session, { ':path': '/' })).text).toContain('published at Dovecote')
  const caaOf = async () => (await at(`${host} CAA +recurse`, resolver)).answer.slice(1)
  expect(await caaOf()).toEqual([])
  const own = { caa: 'own_authority' }
  expect((await lab.ask('PUT /other-platform', own)).json).toMatchObject(own)
  await lab.ask('POST /resolver/clear')
  expect(await caaOf()).toEqual(['sites.dovecote.test 60 CAA 0 issue "other-authority.example"'])
  await lab.ask('PUT /other-platform', { caa: 'no_authority' })
  await lab.ask('POST /resolver/clear')
  expect(await caaOf()).toEqual(['sites.dovecote.test 60 CAA 0 issue ";"'])
  expect((await lab.ask('PUT /other-platform', { caa: 'x' })).status).toBe(422)
})

test('HTTPS records are written as in a zone file', async () => {
  const { at, first, lab } = await bought()
  const value = '1 . alpn=h2 ipv4hint=192.0.2.1'
  expect(await put(lab, 'docs', 'HTTPS', value)).toMatchObject({
    status: 200,
    json: { records: [{ type: 'HTTPS', value }] },
  })
  expect((await at('docs.mossy.example HTTPS', first)).answer).toEqual([
    'docs.mossy.example 300 HTTPS 1 . alpn="h2" ipv4hint=192.0.2.1',
  ])
  for (const wrong of ['1', '70000 .', '1 . ipv4hint=2001:db8::1', '1 . ech=AAAA', '1 . alpn'])
    expect((await put(lab, 'docs', 'HTTPS', wrong)).status, wrong).toBe(422)
})

test('pages of other origins, other hosts and bad bodies are refused', async () => {
  const lab = await startedLab()
  const send = async (headers: Record<string, string>, body: string) => {
    const posted = { method: 'POST', headers, body }
    const response = await fetch(`${lab.registrarUrl}/api/domains`, posted)
    const { code } = (await response.json()) as { code: string }
    return [response.status, code]
  }
  expect(await send({ origin: 'http://evil.example' }, '{}')).toEqual([403, 'forbidden'])
  expect(await send({}, '[1')).toEqual([400, 'invalid_body'])
  expect(await send({}, '{}')).toEqual([422, 'invalid_body'])
  const buy = async (name: string) =>
    (await lab.ask('POST /domains', { name, provider: 'burrow' })).json.code
  expect([await buy('mossy.com'), await buy('a.b.test'), await buy('burrow.test')]).toEqual([
    'invalid_domain',
    'invalid_domain',
    'domain_taken',
  ])
  expect(await get(lab.registrarUrl, '/api/lab', 'evil.example')).toMatchObject({ statusCode: 403 })
})
