// The program behind nginx, Caddy and HAProxy, each with its example in ops/, and the settings of docs/proxies.md.
// In npm test: test/api/operations.test.ts.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeCertificate } from '../edge/certificates.ts'
import { ask } from '../edge/clients.ts'
import { freePort } from '../lab/free-addresses.ts'
import { askRaw, requestText } from '../raw-connection.ts'
import { startStore } from '../running-store.ts'
import {
  documentedSettings,
  type ProxyName,
  type ProxyOptions,
  proxyNames,
  startDocumentedProxy,
} from './documented-proxy.ts'

const hosts = ['store.example', 'api.store.example', '*.store-docs.example']
const certificate = makeCertificate(hosts)
const email = 'olga@example.com'
const password = 'a cup of cold coffee'

interface Visit {
  host?: string
  headers?: Record<string, string>
  body?: object | string
  /** The loopback address that the client connects from. */
  from?: string
}

interface Behind {
  /** The program's own port. */
  port: number
  /** The log's lines about proxies. */
  warnings(): string[]
  /** A request to the proxy over TLS. */
  visit(path: string, visit?: Visit): Promise<{ status: number; text: string }>
}

/** The program with the guide's settings, an operator's account, and a proxy in front of it. */
async function startBehind(
  name: ProxyName,
  env: Record<string, string> = {},
  edit?: ProxyOptions['edit'],
): Promise<Behind> {
  const lines: string[] = []
  const store = await startStore('sqlite', {
    log: pino({ level: 'warn' }, { write: (line) => void lines.push(line) }),
    env: {
      BASE_URL: 'https://api.store.example/v1',
      STAGING_BASE_URL: 'https://staging.store.example/v1',
      DASHBOARD_URL: 'https://store.example',
      PLATFORM_HOST: 'store-docs.example',
      ...documentedSettings('# Behind a proxy'),
      ...env,
    },
  })
  const folder = mkdtempSync(join(tmpdir(), 'proxy-'))
  onTestFinished(async () => {
    await store.release()
    rmSync(folder, { recursive: true })
  })
  const port = store.running.config.httpPort
  const ports = { http: await freePort(), https: await freePort() }
  const options = { folder, certificate, ports, upstream: port, ...(edit && { edit }) }
  await startDocumentedProxy(name, options)
  const visit: Behind['visit'] = (path, asked = {}) => askProxy(ports.https, path, asked)
  const token = store.setUpToken
  const made = await visit('/api/set-up', { body: { token, email, name: 'Olga', password } })
  expect(made).toMatchObject({ status: 201 })
  const warnings = (): string[] =>
    lines.filter((line) => line.includes('X-Forwarded-For') || line.includes('TRUSTED_PROXIES'))
  return { port, warnings, visit }
}

function askProxy(
  port: number,
  path: string,
  { body, from: localAddress, headers, host = 'store.example' }: Visit,
): Promise<{ status: number; text: string }> {
  const fields = { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers }
  const options = { body: typeof body === 'object' ? JSON.stringify(body) : body, localAddress }
  return ask(port, host, certificate.chain, path, fields, options)
}

/** Statuses of failing sign-ins, each for another account. */
async function failSignIns(visit: Behind['visit'], count: number, from: string): Promise<number[]> {
  const statuses: number[] = []
  for (let i = 0; i < count; i++) {
    const body = { email: `nobody${i}@example.com`, password: 'not the right password' }
    statuses.push((await visit('/api/session', { body, from })).status)
  }
  return statuses
}

const refused = (count: number): number[] => Array(count).fill(401)

/** Statuses of /metrics, asked directly on this machine. */
async function askMetrics(port: number): Promise<number> {
  return (await askRaw(port, requestText('GET', '/metrics', { Host: `127.0.0.1:${port}` }))).status
}

describe.each(proxyNames)('behind %s as documented', (name) => {
  it('serves, limits failed sign-ins by client, and keeps /metrics closed', async () => {
    const { port, visit, warnings } = await startBehind(name)
    expect(await visit('/sign-in')).toMatchObject({ status: 200 })
    const large = { host: 'api.store.example', body: 'x'.repeat(2_000_000) }
    expect(await visit('/v1/pets', large)).toMatchObject({ status: 401 })

    const stranger = '127.0.0.2'
    expect(await failSignIns(visit, 61, stranger)).toEqual([...refused(60), 429])
    const body = { email, password }
    expect(await visit('/api/session', { body, from: stranger })).toMatchObject({ status: 429 })
    expect(await visit('/api/session', { body, from: '127.0.0.3' })).toMatchObject({ status: 201 })

    for (const host of ['store.example', 'api.store.example']) {
      for (const headers of [{}, { 'x-forwarded-for': '127.0.0.1' }, { 'x-real-ip': '127.0.0.1' }])
        expect(await visit('/metrics', { host, headers })).toMatchObject({ status: 404 })
    }
    expect(await askMetrics(port)).toBe(404)
    expect(warnings()).toEqual([])
  })

  it('allows local monitoring as documented, but no client of the proxy', async () => {
    const { port, visit } = await startBehind(name, documentedSettings('## Metrics behind a proxy'))
    expect(await askMetrics(port)).toBe(200)
    for (const headers of [{}, { 'x-forwarded-for': '127.0.0.1' }])
      expect(await visit('/metrics', { headers, from: '127.0.0.2' })).toMatchObject({ status: 404 })
    expect(await visit('/metrics')).toMatchObject({ status: 404 })
  })
})

describe('behind a proxy that names no client', () => {
  const silent = (example: string): string =>
    example.replace(/^.*(?:X-Forwarded-For|forwardfor).*\n/m, '')
  const mute = (example: string): string => example.replace(/^.*X-Forwarded-.*\n/gm, '')

  it.each([
    ['nginx without X-Forwarded-For', 'nginx', silent, {}],
    ['nginx without any forwarding header', 'nginx', mute, {}],
    ['nginx that is not trusted', 'nginx', mute, { TRUSTED_PROXIES: '' }],
    ['HAProxy without forwardfor', 'HAProxy', silent, { METRICS_ALLOW: '127.0.0.1' }],
  ] as const)('%s locks nobody out, gets no /metrics and is logged once', async (...row) => {
    const [, name, edit, env] = row
    const { visit, warnings } = await startBehind(name, env, edit)
    expect(await failSignIns(visit, 61, '127.0.0.2')).toEqual(refused(61))
    const body = { email, password }
    expect(await visit('/api/session', { body, from: '127.0.0.3' })).toMatchObject({ status: 201 })
    expect(await visit('/metrics')).toMatchObject({ status: 404 })
    expect(warnings()).toHaveLength(1)
  })
})
