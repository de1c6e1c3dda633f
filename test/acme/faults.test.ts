// Faults of an authority or of the network. Each is identified, none hangs, and the next attempt succeeds
// once the fault is over.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  type AcmeAccount,
  type AcmeClient,
  type AcmeClientOptions,
  createAccount,
  getDirectory,
} from '#acme/requests/acme-client.ts'
import { createOrder, getAuthorization, problemOfAuthorization } from '#acme/resources/orders.ts'
import { getRenewalInfo } from '#acme/resources/renewal-info.ts'
import { readCertificate } from '#acme/x509/certificate.ts'
import { createKey } from '#acme/x509/keys.ts'
import { buyZone } from '../lab/buy-zone.ts'
import { shared } from '../shared.ts'
import { startAuthority } from './authority-in-test.ts'
import {
  type Fault,
  type FaultProxy,
  faultAt,
  forbiddenByCaa,
  rateLimited,
  startFaultProxy,
} from './fault-proxy.ts'
import { issue } from './issue.ts'

const host = 'faulty.example'
const requested = { hosts: [host] }
const authority = shared(() => startAuthority({ env: process.env }))
let proxy: FaultProxy
let account: AcmeAccount
/** The URL for new orders in the directory. */
let newOrder: string

beforeAll(async () => {
  buyZone(authority.lab, host).put('@', 'A', authority.lab.topology.server)
  proxy = await startFaultProxy(authority.directoryUrl, authority.trustedRoots)
  const client = clientOf()
  account = await authority.account(client)
  newOrder = new URL((await getDirectory(client)).newOrder).pathname
})
afterEach(() => {
  proxy.faultFor = () => undefined
  proxy.asked.length = 0
})
afterAll(() => proxy.close())

function clientOf(options: Partial<AcmeClientOptions> = {}): AcmeClient {
  return authority.client({
    directoryUrl: proxy.directoryUrl,
    trustedRoots: proxy.root,
    ...options,
  })
}

/** Makes the first `times` orders fail. */
function failOrders(fault: Fault, times?: number): void {
  proxy.faultFor = faultAt(newOrder.slice(1), fault, times)
}

/** A new order by a new client. */
const order = (options?: Partial<AcmeClientOptions>) =>
  createOrder({ client: clientOf(options), account }, requested)
const orders = () => proxy.asked.filter((line) => line === `POST ${newOrder}`).length

describe('an error response', () => {
  it.each([
    ['3600', '2030-01-01T01:00:00Z'],
    ['Tue, 01 Jan 2030 12:00:00 GMT', '2030-01-01T12:00:00Z'],
  ])('for a rate limit has its end (%s)', async (retryAfter, end) => {
    failOrders(rateLimited(retryAfter))
    const now = () => Date.parse('2030-01-01T00:00:00Z')
    await expect(order({ now })).rejects.toMatchObject({
      name: 'AcmeProblem',
      type: 'rateLimited',
      status: 429,
      operation: 'new order',
      retryAt: Date.parse(end),
      detail: expect.stringContaining('too many certificates'),
    })
    expect(orders()).toBe(1)
  })

  it('for CAA is in the authorization', async () => {
    const client = clientOf()
    const order = await createOrder({ client, account }, requested)
    const [url = ''] = order.authorizationUrls
    const { pathname } = new URL(url)
    proxy.faultFor = (_, path) => (path === pathname ? forbiddenByCaa(host) : undefined)
    const authorization = await getAuthorization({ client, account }, url)
    expect(authorization.status).toBe('invalid')
    expect(problemOfAuthorization(authorization)).toEqual({
      type: 'caa',
      detail: `CAA record for ${host} prevents issuance`,
      status: 403,
      instance: undefined,
      subproblems: [],
    })
  })

  it.each([
    ['without a body', { kind: 'status', status: 503 }, 'HTTP status 503'],
    ['as HTML', { kind: 'status', status: 502, body: '<h1>Bad gateway</h1>' }, 'HTTP status 502'],
    ['with a list', { kind: 'status', status: 500, body: '[1, 2]' }, 'HTTP status 500'],
    [
      'with a redirect',
      { kind: 'status', status: 301, headers: { location: '/' } },
      'HTTP status 301',
    ],
  ] as const)('%s is reported as a problem', async (_, fault, detail) => {
    failOrders(fault)
    await expect(order()).rejects.toMatchObject({
      name: 'AcmeProblem',
      type: 'about:blank',
      status: fault.status,
      detail,
    })
  })

  it('of a busy authority has the time to retry', async () => {
    failOrders({ kind: 'status', status: 503, headers: { 'retry-after': '120' } })
    await expect(order({ now: () => 1000 })).rejects.toMatchObject({
      status: 503,
      retryAt: 121_000,
    })
  })
})

describe('a bad nonce', () => {
  const badNonce: Fault = { kind: 'problem', type: 'badNonce', status: 400 }

  it('is replaced by the nonce of the error response', async () => {
    failOrders(badNonce, 15)
    expect((await order()).status).toBe('pending')
    expect(orders()).toBe(16)
    const nonces = proxy.asked.filter((line) => line.startsWith('HEAD'))
    expect(nonces).toHaveLength(1)
  })

  it('is a problem when it is repeated', async () => {
    failOrders(badNonce)
    await expect(order()).rejects.toMatchObject({ name: 'AcmeProblem', type: 'badNonce' })
    expect(orders()).toBe(20)
  })
})

describe('a response', () => {
  it.each([
    ['that is cut off', { kind: 'cut off' }, 'cut off'],
    ['that is cut off before its start', { kind: 'cut before' }, 'cut off'],
    ['that is too large', { kind: 'huge' }, 'too large'],
    ['that is not HTTP', { kind: 'no HTTP' }, 'malformed'],
    ['that is not JSON', { kind: 'status', status: 201, body: '<html>' }, 'malformed'],
    ['that is empty', { kind: 'status', status: 201 }, 'malformed'],
    ['that is null', { kind: 'status', status: 201, body: 'null' }, 'malformed'],
  ] as [string, Fault, string][])('%s is reported as such', async (_, fault, reason) => {
    const client = clientOf()
    failOrders(fault)
    await expect(createOrder({ client, account }, requested)).rejects.toMatchObject({
      ...{ name: 'AcmeNoResponse', reason, operation: 'new order' },
    })
    proxy.faultFor = () => undefined
    expect((await createOrder({ client, account }, requested)).status).toBe('pending')
  })

  it.each([['silence'], ['stalled']] as const)('that is late (%s) is a time-out', async (kind) => {
    failOrders({ kind })
    await expect(order({ timeoutMs: 300 })).rejects.toMatchObject({
      reason: 'timeout',
      operation: 'new order',
    })
  })

  it('is not awaited after the caller aborts', async () => {
    const client = clientOf()
    const giveUp = new AbortController()
    proxy.faultFor = () => {
      setImmediate(() => giveUp.abort())
      return { kind: 'silence' }
    }
    const { signal } = giveUp
    const order = createOrder({ client, account, signal }, requested)
    await expect(order).rejects.toMatchObject({ reason: 'cancelled' })
    const late = createOrder({ client, account, signal }, requested)
    await expect(late).rejects.toMatchObject({ reason: 'cancelled' })
  })

  it('is not accepted from an untrusted authority', async () => {
    const { trustedRoots } = authority
    await expect(order({ trustedRoots })).rejects.toMatchObject({
      reason: 'untrusted',
      operation: 'directory',
    })
    expect(proxy.asked).toEqual([])
  })

  it('is missing when the connection is refused', async () => {
    const directoryUrl = proxy.directoryUrl.replace(/:\d+/, ':1')
    await expect(order({ directoryUrl })).rejects.toMatchObject({
      reason: 'unreachable',
      detail: 'ECONNREFUSED',
    })
  })
})

describe('a response that does not conform to the RFC', () => {
  it.each([
    ['status', { status: 'maybe' }, /^status is not one of pending/],
    ['finalize', { finalize: 'http://plain.example/' }, 'finalize is not an https URL'],
    ['authorizations', { authorizations: 'none' }, 'authorizations is not a list of at most 100'],
    ['a certificate', { status: 'valid' }, 'certificate is missing'],
    ['expires', { expires: 'never' }, 'expires is not a date and time'],
  ])('names the member: %s', async (_, changed, detail) => {
    failOrders({ kind: 'changed', change: (order) => ({ ...order, ...changed }) })
    await expect(order()).rejects.toMatchObject({
      reason: 'malformed',
      detail: detail instanceof RegExp ? expect.stringMatching(detail) : detail,
    })
  })

  it('names the member of the directory', async () => {
    proxy.faultFor = () => ({
      kind: 'changed',
      change: ({ newOrder: _, ...others }) => others,
    })
    await expect(getDirectory(clientOf())).rejects.toMatchObject({
      operation: 'directory',
      detail: 'newOrder is not an https URL',
    })
  })

  it("is refused if a challenge's token is not base64url", async () => {
    const client = clientOf()
    const order = await createOrder({ client, account }, requested)
    const [url = ''] = order.authorizationUrls
    const change = (authorization: Record<string, unknown>) => ({
      ...authorization,
      challenges: [{ type: 'http-01', status: 'pending', url, token: '../../secret' }],
    })
    proxy.faultFor = (_, path) =>
      path === new URL(url).pathname ? { kind: 'changed', change } : undefined
    const seen = getAuthorization({ client, account }, url)
    await expect(seen).rejects.toMatchObject({ detail: 'token is not base64url' })
  })
})

describe('renewal information', () => {
  const read = (body: string) => {
    const renewalInfo = new URL('/renewal', proxy.directoryUrl).href
    proxy.faultFor = (_, path) =>
      path.startsWith('/renewal')
        ? { kind: 'status', status: 200, body }
        : { kind: 'changed', change: (directory) => ({ ...directory, renewalInfo }) }
    return getRenewalInfo(clientOf({ now: () => 0 }), 'AAAA.AQID')
  }
  const [start, end] = ['2030-01-01T00:00:00Z', '2030-02-01T00:00:00Z']
  const windowOf = (from: string, to: string, explanationURL?: string) =>
    JSON.stringify({ suggestedWindow: { start: from, end: to }, explanationURL })

  it('has a window, and the page that explains it', async () => {
    const explanationUrl = 'https://status.example/incident'
    expect(await read(windowOf(start, end, explanationUrl))).toEqual({
      window: { start: Date.parse(start), end: Date.parse(end) },
      explanationUrl,
      askAgainAt: 6 * 3_600_000,
    })
    expect(proxy.asked.at(-1)).toBe('GET /renewal/AAAA.AQID')
  })

  it.each([
    ['not JSON', 'soon', 'the response is not JSON'],
    ['without a window', '{}', 'suggestedWindow is not an object'],
    ['backwards', windowOf(end, start), 'suggestedWindow ends before it starts'],
    ['with an invalid time', windowOf('tomorrow', end), 'start is not a date and time'],
  ])('is refused if it is %s', async (_, body, detail) => {
    await expect(read(body)).rejects.toMatchObject({ reason: 'malformed', detail })
  })
})

describe('the certificate is issued', () => {
  it('when every kind of request fails once', async () => {
    const seen = new Set<string>()
    proxy.faultFor = (method, path) => {
      const kind = `${method} ${path.split('/')[1]}`
      if (seen.has(kind)) return undefined
      seen.add(kind)
      return { kind: 'status', status: 503 }
    }
    const client = clientOf()
    let issued: Awaited<ReturnType<typeof issue>> | undefined
    for (let tries = 0; !issued && tries < 20; tries++) {
      issued = await issue({ client, account }, authority.places, host).catch((error: unknown) => {
        expect(error).toMatchObject({ name: 'AcmeProblem', status: 503 })
        return undefined
      })
    }
    expect(seen.size).toBeGreaterThan(6)
    expect(readCertificate(issued?.chain ?? '').hosts).toEqual([host])
  })

  it('over few connections', async () => {
    const client = clientOf()
    const before = proxy.connections
    await issue({ client, account }, authority.places, host)
    expect(proxy.connections - before).toBeLessThanOrEqual(2)
  })

  it('when an idle connection was closed', async () => {
    const client = clientOf()
    await createOrder({ client, account }, requested)
    failOrders({ kind: 'cut before' }, 1)
    expect((await createOrder({ client, account }, requested)).status).toBe('pending')
    expect(orders()).toBe(3)
  })
})

it('an account whose response was lost is found by its key', async () => {
  const client = clientOf()
  const { newAccount } = await getDirectory(client)
  proxy.faultFor = faultAt(new URL(newAccount).pathname.slice(1), { kind: 'cut off' }, 1)
  const made = { privateKey: await createKey(), contacts: [] }
  await expect(createAccount(client, made)).rejects.toMatchObject({ reason: 'cut off' })
  expect((await createAccount(client, made)).url).toMatch(/^https:/)
})
