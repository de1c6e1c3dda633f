// Errors of sites: a page, or the Error schema for clients that prefer JSON.

import { hash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Database, Session } from '#kit/database/database.ts'
import { unavailable } from '#kit/errors.ts'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { servingSites, sites } from './published-site.ts'

const json = { Accept: 'application/json' }

describe.each(cases(engines))('errors on %s', (engine) => {
  /** Of each read, while there is one. */
  let failure: unknown
  function between(database: Database): Database {
    const check = <T>(value: () => T): T => {
      if (failure) throw failure
      return value()
    }
    const read: Session = {
      all: (query, params) => check(() => database.read.all(query, params)),
      tuples: (query, params) => check(() => database.read.tuples(query, params)),
    }
    return { ...database, read, changeCounter: () => check(database.changeCounter) }
  }
  const prepare = async () => {
    await sites.publish('docs', { 'index.html': 'Front', 'cold.html': 'Cold' })
    await sites.publish('empty', {})
    await sites.setLive('empty', null)
    await sites.publish('moved', { 'index.html': 'Moved' })
    await sites.rename('moved', 'settled')
  }
  servingSites(engine, prepare, { between })

  // Target, options, status, title of the page, code of the Error.
  const cases: [what: string, options: object, status: number, title: string, code: string][] = [
    ['/', { slug: 'unknown' }, 404, 'Site not found', 'route_not_found'],
    ['/', { slug: 'No_Body' }, 404, 'Site not found', 'route_not_found'],
    ['/', { slug: 'x'.repeat(64) }, 404, 'Site not found', 'route_not_found'],
    ['/', { slug: '_--' }, 404, 'Site not found', 'route_not_found'],
    ['/', { slug: '' }, 404, 'Site not found', 'route_not_found'],
    ['/any', { slug: 'empty' }, 404, 'Nothing published yet', 'route_not_found'],
    ['/none', {}, 404, 'Page not found', 'route_not_found'],
    ['//', {}, 404, 'Page not found', 'route_not_found'],
    ['//', { slug: 'moved' }, 404, 'Page not found', 'route_not_found'],
    ['/%', {}, 400, 'Invalid address', 'invalid_request'],
    ['/%', { slug: 'moved' }, 400, 'Invalid address', 'invalid_request'],
    ['/', { method: 'POST' }, 405, 'Method not allowed', 'method_not_allowed'],
    ['/', { method: 'DELETE', slug: 'unknown' }, 405, 'Method not allowed', 'method_not_allowed'],
    ['/', { method: 'PROPFIND' }, 405, 'Method not allowed', 'method_not_allowed'],
  ]

  it.each(cases)('%s %o: %i %s', async (target, options, status, title, code) => {
    const response = await sites.ask(target, options)
    expect(response.status).toBe(status)
    expect(response.text).toContain(`<title>${title}</title>`)
    expect(response.text).toContain('<meta name="viewport"')
    expect(response.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      vary: 'Accept',
    })
    const asJson = await sites.ask(target, { ...options, headers: json })
    expect(asJson.status).toBe(status)
    expect(asJson.json).toEqual({ code, message: expect.stringContaining(title), status })
    expect(asJson.headers['content-type']).toBe('application/json')
    expect(asJson.head).toMatch(/^Vary: Accept$/m)
  })

  it.each([
    [undefined, 'text/html'],
    ['*/*', 'text/html'],
    ['text/html', 'text/html'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'text/html'],
    ['application/json', 'application/json'],
    ['application/json, text/html', 'application/json'],
    ['text/html;q=0.9, application/json', 'application/json'],
    ['application/json;q=0.5, text/html', 'text/html'],
    ['application/*', 'application/json'],
    ['image/png', 'text/html'],
    [';;;,q', 'text/html'],
  ])('Accept: %s gets %s', async (accept, type) => {
    const headers: Record<string, string> = accept === undefined ? {} : { Accept: accept }
    const response = await sites.ask('/none', { headers })
    expect(response.headers['content-type']).toContain(type)
  })

  it('a page has only its style, allowed by its hash, and nothing of the request', async () => {
    const { headers, text } = await sites.ask('/none%3Cscript%3E?<script>x', { slug: 'docs' })
    const style = /<style>([\s\S]*)<\/style>/.exec(text)?.[1] as string
    const policy = headers['content-security-policy'] as string
    expect(policy).toContain(`style-src 'sha256-${hash('sha256', style, 'base64')}'`)
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'self'")
    expect(text).not.toMatch(/<script|style=|src=|none%3C/)
    expect(text).toContain('prefers-color-scheme:dark')
  })

  it('HEAD of an error has only headers', async () => {
    const { body, headers } = await sites.ask('/none', { method: 'HEAD' })
    expect(Number(headers['content-length'])).toBeGreaterThan(500)
    expect(body).toHaveLength(0)
  })

  it('names the allowed methods', async () => {
    const allow = 'GET, HEAD, OPTIONS'
    expect((await sites.ask('/', { method: 'PUT' })).headers.allow).toBe(allow)
    expect((await sites.ask('/', { method: 'PUT', headers: json })).headers.allow).toBe(allow)
    for (const target of ['/', '/none', '/%']) {
      const { headers, status } = await sites.ask(target, { method: 'OPTIONS' })
      expect([status, headers.allow]).toEqual([204, allow])
    }
  })

  it('an earlier slug redirects to the current one, with path and query', async () => {
    const at = async (target: string) =>
      (await sites.ask(target, { slug: 'moved' })).headers.location
    const there = 'http://settled.docs.localhost:8080'
    expect((await sites.ask('/', { slug: 'moved' })).status).toBe(308)
    expect(await at('/')).toBe(`${there}/`)
    expect(await at('/a/b.html?x=1&y=//z')).toBe(`${there}/a/b.html?x=1&y=//z`)
    expect(await at('/%61%20%C3%A9/')).toBe(`${there}/a%20%C3%A9/`)
    expect(await at('/@evil.example')).toBe(`${there}/@evil.example`)
    expect(await at('/.evil.example')).toBe(`${there}/.evil.example`)
    for (const hostile of ['//evil.example', '/\\evil.example', '/%2Fevil.example', '/%5Cevil']) {
      expect(await at(hostile)).toBeUndefined()
    }
    expect((await sites.ask('/', { slug: 'settled' })).text).toBe('Moved')
  })

  it('a cached file, too, is a 503 with Retry-After while there is no database', async () => {
    expect((await sites.ask('/')).text).toBe('Front')
    failure = unavailable(new Error('gone'))
    // Cached files, too, because they may be outdated.
    for (const target of ['/', '/cold', '/none']) {
      const response = await sites.ask(target)
      expect(response.status).toBe(503)
      expect(response.headers['retry-after']).toBe('1')
      expect(response.text).toContain('<title>Temporarily unavailable</title>')
      const asJson = await sites.ask(target, { headers: json })
      expect(asJson.json).toMatchObject({ code: 'unavailable', status: 503 })
      expect(asJson.headers['retry-after']).toBe('1')
    }
    failure = undefined
    expect((await sites.ask('/cold')).text).toBe('Cold')
  })

  it('an internal error is an opaque 500, and is logged', async () => {
    sites.lines.length = 0
    failure = new Error('the secret inside')
    const response = await sites.ask('/where?who=me', { headers: { 'X-Request-Id': 'tell-me' } })
    failure = undefined
    expect(response.status).toBe(500)
    expect(response.text).not.toContain('secret')
    expect(JSON.stringify(sites.lines)).toContain('the secret inside')
    expect(sites.lines.every(({ requestId }) => requestId === 'tell-me')).toBe(true)
    expect(JSON.stringify(sites.lines)).not.toMatch(/where|who/)
  })
})
