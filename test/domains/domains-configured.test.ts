// The primary domain and the redirects of a project: read and set as one document, refused with the wrong field, and
// updated when domains are added or removed.

import { describe, expect, it } from 'vitest'
import type { DomainEvent } from '#domains/api/event-schema.ts'
import type { Configuration } from '#domains/claims/domain-configuration.ts'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { expectJson } from '../publishing/publishing-in-test.ts'
import { refusal } from '../running-store.ts'
import { shared } from '../shared.ts'
import { type Owner, startDomains, target } from './domains-in-test.ts'

const us = `${target}.`

describe.each(cases(engines))('the configuration of domains on %s', (engine) => {
  const world = shared(() => startDomains(engine))

  const pathOf = ({ slug }: Owner) => `/projects/${slug}/domain-configuration`
  const seen = (owner: Owner) => owner.person.read<Configuration>(pathOf(owner))
  const put = (owner: Owner, body: unknown, headers: Record<string, string> = {}) =>
    owner.person.ask(pathOf(owner), { method: 'PUT', body, headers })

  /** The logged role changes, newest first. */
  async function configuredEvents({ person, slug }: Owner): Promise<DomainEvent[]> {
    const path = `/projects/${slug}/domain-events?limit=100`
    const { items } = await person.read<{ items: DomainEvent[] }>(path)
    return items.filter(({ type }) => type === 'configured')
  }

  /** An owner whose project has these hosts below a new domain, none of them proven. */
  async function withHosts(...labels: string[]) {
    const [owner, zone] = [await world.owner(), world.buy()]
    const hosts = labels.map((label) => (label === '@' ? zone.name : `${label}.${zone.name}`))
    for (const host of hosts) await owner.add(host)
    return { owner, zone, hosts: hosts as [string, string, string] }
  }

  it('makes only the first proven domain the primary', async () => {
    const { hosts, owner, zone } = await withHosts('a', 'b')
    const [a, b] = hosts
    expect(await seen(owner)).toEqual({ primary: null, redirects: [] })
    zone.put('b', 'CNAME', us)
    expect(await owner.verify(b)).toMatchObject({ ownership: 'proven', role: 'primary' })
    zone.put('a', 'CNAME', us)
    expect(await owner.verify(a)).toMatchObject({ ownership: 'proven', role: 'alias' })
    expect(await seen(owner)).toEqual({ primary: b, redirects: [] })
    expect(await configuredEvents(owner)).toMatchObject([
      { host: b, detail: { role: 'primary' }, actor: null },
    ])
    // If the owner sets none, the next proven domain is not made primary.
    expectJson(await put(owner, { primary: null, redirects: [] }), 200)
    zone.put('c', 'CNAME', us)
    await owner.add(`c.${zone.name}`)
    const later = await owner.verify(`c.${zone.name}`)
    expect(later).toMatchObject({ dns: 'ok', role: 'alias' })
    expect(await seen(owner)).toEqual({ primary: null, redirects: [] })
  })

  it('is set as a whole, and shown at each domain', async () => {
    const { hosts, owner } = await withHosts('@', 'www', 'docs')
    const [apex, www, docs] = hosts
    const given = {
      primary: docs,
      redirects: [
        { from: apex, to: docs, status: 301 },
        { from: www, to: docs, status: 308 },
      ],
    }
    expect(expectJson(await put(owner, given), 200)).toEqual(given)
    expect(await seen(owner)).toEqual(given)
    expect(await owner.get(apex)).toMatchObject({
      role: 'redirect',
      redirect: { to: docs, status: 301 },
      pair: www,
    })
    expect(await owner.get(docs)).toMatchObject({ role: 'primary', redirect: null, pair: null })
    // Another primary, which redirected before.
    const other = { primary: apex, redirects: [{ from: docs, to: apex, status: 302 }] }
    expect(expectJson(await put(owner, other), 200)).toEqual(other)
    expect(await owner.get(www)).toMatchObject({ role: 'alias', redirect: null, pair: apex })
  })

  it('accepts hosts in any notation', async () => {
    const { hosts, owner, zone } = await withHosts('bücher', 'docs')
    const [, docs] = hosts
    const typed = {
      primary: ` https://DOCS.${zone.name}/ `,
      redirects: [{ from: `BÜCHER.${zone.name}.`, to: docs, status: 307 }],
    }
    expect(expectJson(await put(owner, typed), 200)).toEqual({
      primary: docs,
      redirects: [{ from: `xn--bcher-kva.${zone.name}`, to: docs, status: 307 }],
    })
  })

  it('names the wrong field, and changes nothing', async () => {
    const { hosts, owner } = await withHosts('a', 'b', 'c')
    const [a, b, c] = hosts
    const kept = { primary: a, redirects: [{ from: b, to: a, status: 301 }] }
    expectJson(await put(owner, kept), 200)
    const redirect = (from: string, to: string, status: unknown = 301) => ({ from, to, status })
    const foreign = (await withHosts('a')).hosts[0]
    const wrong: [body: unknown, path: string, sentence: RegExp][] = [
      [{ primary: foreign, redirects: [] }, 'primary', /not a domain of this project/],
      [{ primary: 'docs.other.example', redirects: [] }, 'primary', /not a domain of this project/],
      [
        { primary: a, redirects: [redirect('x.other.example', a)] },
        'redirects[0].from',
        /x\.other\.example, which is not a domain of this project/,
      ],
      [
        { primary: a, redirects: [redirect(b, a), redirect(c, 'x.other.example')] },
        'redirects[1].to',
        /not a domain of this project/,
      ],
      [{ primary: a, redirects: [redirect(a, b)] }, 'redirects[0].from', /the primary/],
      [
        { primary: a, redirects: [redirect(b, a), redirect(b, c)] },
        'redirects[1].from',
        /redirects\[0\] redirects already/,
      ],
      [{ primary: null, redirects: [redirect(b, b)] }, 'redirects[0].to', /loop: b\S+ → b/],
      [
        { primary: null, redirects: [redirect(b, c), redirect(c, b)] },
        'redirects[0].to',
        /loop: b\S+ → c\S+ → b/,
      ],
      [
        { primary: a, redirects: [redirect(b, c), redirect(c, a)] },
        'redirects[0].to',
        /Redirect to a\S+ at once/,
      ],
      [{ primary: a, redirects: [redirect(b, a, 303)] }, 'redirects[0].status', /308/],
      [{ primary: a, redirects: [redirect(b, a, '301')] }, 'redirects[0].status', /308/],
      [{ primary: a }, 'redirects', /required/],
      [{ redirects: [] }, 'primary', /required/],
    ]
    for (const [body, path, sentence] of wrong) {
      const { json, status } = await put(owner, body)
      expect([status, path]).toEqual([400, path])
      const { details } = json as { details: { path: string; message: string }[] }
      expect(details).toContainEqual({ path, message: expect.stringMatching(sentence) })
    }
    expect(await seen(owner)).toEqual(kept)
  })

  it('respects If-Match', async () => {
    const { hosts, owner } = await withHosts('a', 'b')
    const [a, b] = hosts
    const first = await owner.person.ask(pathOf(owner))
    const etag = first.headers.etag ?? ''
    const mine = { primary: a, redirects: [] }
    const saved = await put(owner, mine, { 'if-match': etag })
    expect(expectJson(saved, 200)).toEqual(mine)
    expect(saved.headers.etag).not.toBe(etag)
    const late = await put(owner, { primary: b, redirects: [] }, { 'if-match': etag })
    expect(late).toMatchObject(refusal(412, 'precondition_failed'))
    expect(await seen(owner)).toEqual(mine)
    const again = { 'if-match': saved.headers.etag ?? '' }
    expect((await put(owner, { primary: b, redirects: [] }, again)).status).toBe(200)
  })

  it('loses removed domains, and reports it', async () => {
    const { hosts, owner } = await withHosts('a', 'b', 'c')
    const [a, b, c] = hosts
    const redirects = [
      { from: b, to: a, status: 301 },
      { from: c, to: a, status: 301 },
    ]
    expectJson(await put(owner, { primary: a, redirects }), 200)
    expect(await owner.remove(c)).toMatchObject({ wasPrimary: false, endedRedirects: [] })
    expect(await seen(owner)).toEqual({ primary: a, redirects: redirects.slice(0, 1) })
    expect(await owner.remove(a)).toMatchObject({ wasPrimary: true, endedRedirects: [b] })
    expect(await seen(owner)).toEqual({ primary: null, redirects: [] })
    expect(await owner.get(b)).toMatchObject({ role: 'alias', redirect: null })
    const [ended] = await configuredEvents(owner)
    expect(ended).toMatchObject({ host: b, detail: { role: 'alias' } })
    expect(ended?.actor?.id).toBe(owner.person.account.id)
  })
})
