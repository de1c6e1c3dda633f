// Requests that a page of another site makes a browser send are refused; those of the dashboard, a person or a
// program are not. One row for each kind of request.
import { describe, expect, it } from 'vitest'
import { engines } from '../database.ts'
import { refusal } from '../running-store.ts'
import { startWithOperator } from './accounts-in-test.ts'

interface Sent {
  method: 'GET' | 'HEAD' | 'OPTIONS' | 'PATCH' | 'DELETE'
  /** `own` is the dashboard's origin. */
  origin?: string
  site?: string
  /** Cookie, access token, both or neither. */
  by?: 'cookie' | 'token' | 'both'
  host?: string
}

const evil = 'https://evil.example'

const rows: [response: 'fine' | 'cross-site' | 'unauthenticated' | 'no scope', sent: Sent][] = [
  // The dashboard itself.
  ['fine', { method: 'GET', site: 'same-origin', by: 'cookie' }],
  ['fine', { method: 'GET', origin: 'own', site: 'same-origin', by: 'cookie' }],
  ['fine', { method: 'HEAD', site: 'same-origin', by: 'cookie' }],
  ['fine', { method: 'PATCH', origin: 'own', site: 'same-origin', by: 'cookie' }],
  ['fine', { method: 'PATCH', origin: 'own', by: 'cookie' }],
  ['fine', { method: 'PATCH', site: 'same-origin', by: 'cookie' }],
  ['unauthenticated', { method: 'PATCH', origin: 'own', site: 'same-origin' }],
  // The dashboard at a loopback address.
  ['fine', { method: 'PATCH', origin: 'here', site: 'same-origin', by: 'cookie', host: 'here' }],
  ['cross-site', { method: 'PATCH', origin: 'here', by: 'cookie' }],
  ['cross-site', { method: 'PATCH', origin: 'here by https', by: 'cookie', host: 'here' }],
  // A person who types an address.
  ['fine', { method: 'GET', site: 'none', by: 'cookie' }],
  ['unauthenticated', { method: 'GET', site: 'none' }],
  ['cross-site', { method: 'PATCH', site: 'none', by: 'cookie' }],
  ['cross-site', { method: 'DELETE', site: 'none', by: 'cookie' }],
  // A page of another site.
  ['cross-site', { method: 'GET', site: 'cross-site', by: 'cookie' }],
  ['cross-site', { method: 'GET', origin: evil, site: 'cross-site', by: 'cookie' }],
  ['cross-site', { method: 'GET', origin: evil, by: 'cookie' }],
  ['cross-site', { method: 'HEAD', site: 'cross-site', by: 'cookie' }],
  ['cross-site', { method: 'PATCH', origin: evil, site: 'cross-site', by: 'cookie' }],
  ['cross-site', { method: 'PATCH', origin: evil, by: 'cookie' }],
  ['cross-site', { method: 'PATCH', site: 'cross-site', by: 'cookie' }],
  ['cross-site', { method: 'DELETE', origin: evil, site: 'cross-site', by: 'cookie' }],
  ['cross-site', { method: 'PATCH', origin: evil, site: 'cross-site' }],
  ['cross-site', { method: 'GET', origin: evil, site: 'cross-site' }],
  // A sandboxed page, a local file, or a page behind a redirect.
  ['cross-site', { method: 'PATCH', origin: 'null', site: 'cross-site', by: 'cookie' }],
  ['cross-site', { method: 'PATCH', origin: 'null', by: 'cookie' }],
  ['cross-site', { method: 'GET', origin: 'null', by: 'cookie' }],
  // A related page: a published site below the same domain, another port, the other scheme.
  ['cross-site', { method: 'PATCH', origin: 'a published site', site: 'same-site', by: 'cookie' }],
  ['cross-site', { method: 'GET', site: 'same-site', by: 'cookie' }],
  ['cross-site', { method: 'PATCH', origin: 'another port', site: 'same-site', by: 'cookie' }],
  ['cross-site', { method: 'PATCH', origin: 'http://localhost', by: 'cookie' }],
  ['cross-site', { method: 'PATCH', origin: 'own by https', by: 'cookie' }],
  // Contradicting or unknown headers.
  ['cross-site', { method: 'PATCH', origin: 'own', site: 'cross-site', by: 'cookie' }],
  ['cross-site', { method: 'PATCH', origin: evil, site: 'same-origin', by: 'cookie' }],
  ['cross-site', { method: 'PATCH', site: 'Same-Origin', by: 'cookie' }],
  ['cross-site', { method: 'GET', site: 'unheard-of', by: 'cookie' }],
  ['cross-site', { method: 'PATCH', origin: 'not an origin', by: 'cookie' }],
  // An old browser that sends neither header.
  ['cross-site', { method: 'PATCH', by: 'cookie' }],
  ['cross-site', { method: 'DELETE', by: 'cookie' }],
  ['fine', { method: 'GET', by: 'cookie' }],
  // A program: browsers never add its token to a request. A page that wants to send a token needs a preflight, which
  // allows no origin.
  ['no scope', { method: 'GET', by: 'token' }],
  ['no scope', { method: 'PATCH', by: 'token' }],
  ['no scope', { method: 'PATCH', origin: evil, site: 'cross-site', by: 'both' }],
  ['unauthenticated', { method: 'PATCH' }],
]

const answers = {
  fine: [200, undefined],
  unauthenticated: [401, 'not_signed_in'],
  'cross-site': [403, 'cross_site_request'],
  'no scope': [403, 'insufficient_scope'],
} as const

describe.each(engines.slice(0, 1))('cross-site requests on %s', (engine) => {
  it('are refused, all others are not', async () => {
    expect(rows.length).toBeGreaterThanOrEqual(30)
    const { accounts, operator } = await startWithOperator(engine)
    const token = await operator.accessToken()
    const { dashboardUrl } = accounts.context
    const origins: Record<string, string> = {
      own: dashboardUrl.origin,
      'a published site': 'http://x.docs.localhost',
      'another port': 'http://localhost:1',
      here: `http://127.0.0.1:${dashboardUrl.port}`,
      'here by https': `https://127.0.0.1:${dashboardUrl.port}`,
      'own by https': dashboardUrl.origin.replace('http:', 'https:'),
    }
    const seen = []
    for (const [expected, { by, host, method, origin, site }] of rows) {
      const headers: Record<string, string> = {
        ...(host ? { host: `127.0.0.1:${dashboardUrl.port}` } : {}),
        ...(origin === undefined ? {} : { origin: origins[origin] ?? origin }),
        ...(site === undefined ? {} : { 'sec-fetch-site': site }),
        ...(by === 'cookie' || by === 'both' ? { cookie: operator.cookie ?? '' } : {}),
        ...(by === 'token' || by === 'both' ? { authorization: `Bearer ${token}` } : {}),
      }
      const path = method === 'DELETE' ? '/account/sessions' : '/account'
      const body = method === 'PATCH' ? { name: 'Olga' } : undefined
      const { json, status } = await accounts.bare(path, { method, headers, body })
      const code = method === 'HEAD' ? answers[expected][1] : (json as { code?: string })?.code
      seen.push([expected, status, code])
    }
    expect(seen).toEqual(rows.map(([expected]) => [expected, ...answers[expected]]))
  })

  it('a form of another site can neither sign in nor sign out', async () => {
    const { accounts, operator } = await startWithOperator(engine)
    const headers = { origin: evil, 'sec-fetch-site': 'cross-site' }
    const cookie = operator.cookie ?? ''
    const body = { email: 'olga@example.com', password: 'a cup of cold coffee' }
    const refused = refusal(403, 'cross_site_request')
    expect(await accounts.bare('/session', { body, headers })).toMatchObject(refused)
    const out = { method: 'DELETE', headers: { ...headers, cookie } }
    expect(await accounts.bare('/session', out)).toMatchObject(refused)
    expect((await operator.ask('/session')).status).toBe(200)
    // Nor if the body is not JSON, as a form's body is not.
    const form = { 'content-type': 'text/plain', origin: accounts.context.dashboardUrl.origin }
    expect((await accounts.bare('/session', { body, headers: form })).status).toBe(415)
    // A preflight allows nothing.
    const { headers: allowed, status } = await accounts.bare('/account', {
      method: 'OPTIONS',
      headers: { origin: evil, 'access-control-request-method': 'PATCH' },
    })
    expect(status).toBe(204)
    expect(Object.keys(allowed).filter((name) => name.startsWith('access-control'))).toEqual([])
  })
})
