// A live domain moves here by a TXT record that stays valid (dns-persist-01): over the API and by command line, against the
// lab's authority by the drafts 02 and 01, and against Pebble by draft 00. What the record leaves behind gives nobody a
// certificate.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { LabAuthority } from '../../lab/certificate-authority/lab-authority.ts'
import { parsePersistentRecord } from '../../server/publishing/acme/resources/persistent-record.ts'
import type { Domain, RemovedDomain } from '../../server/publishing/domains/api/schema.ts'
import { cases } from '../cases.ts'
import { type Engine, engines } from '../database.ts'
import { ask } from '../edge/clients.ts'
import { eventually } from '../eventually.ts'
import type { BoughtZone } from '../lab/buy-zone.ts'
import { expectJson } from '../publishing/publishing-in-test.ts'
import { query } from '../query.ts'
import { runCommand } from '../served-process.ts'
import { type DomainsInTest, type Owner, startDomains, target } from './domains-in-test.ts'

// The earlier drafts on one engine each: the records differ, not how they are stored.
const authorities: [engine: Engine, draft: string, labEnv: Record<string, string>][] = [
  ['sqlite', 'draft 02', { PEBBLE: '' }],
  ['postgres', 'draft 02', { PEBBLE: '' }],
  ['postgres', 'draft 01', { PEBBLE: '', LAB_PERSIST_DRAFT: '01' }],
  ['sqlite', 'draft 00 (Pebble)', {}],
]
const places = authorities.filter(([engine]) => engines.includes(engine))
const day = 86_400_000
const method = 'dns-persist-01'

describe.each(cases(places))('a persistent record on %s, by %s', (engine, draft, labEnv) => {
  let inTest: DomainsInTest
  let ca: string
  let port: number
  beforeAll(async () => {
    inTest = await startDomains(engine, { hasAuthority: true, labEnv })
    ca = (await inTest.lab.authority?.root()) ?? ''
    port = inTest.store.running.config.httpsPort ?? 0
  })
  afterAll(() => inTest.release())

  const challengesOf = ({ records }: Domain) =>
    records.filter(({ purpose }) => purpose === 'challenge')
  /** Verifies now and then, as the open page does, until it is so. */
  const until = (owner: Owner, host: string, isMet: (domain: Domain) => boolean) =>
    eventually(async () => {
      const seen = await owner.get(host)
      return isMet(seen) ? seen : await owner.verify(host)
    }, isMet)
  const choose = (owner: Owner, host: string) =>
    owner.ask(`/${host}`, { method: 'PATCH', body: { prepare: true, method } })
  const commandOf = async (owner: Owner) => {
    const token = await owner.person.token()
    return (...words: string[]) =>
      runCommand(inTest.store.place, ['domains', ...words, '--project', owner.slug], {
        ANIMAL_STORE_URL: `http://localhost:${inTest.store.running.config.httpPort}`,
        ANIMAL_STORE_TOKEN: token,
        NO_COLOR: '1',
      })
  }
  /** A domain elsewhere, until the authority has offered its ways. */
  const offered = async (owner: Owner, zone: BoughtZone) => {
    const host = `docs.${zone.name}`
    await owner.ask('', { body: { host, prepare: true } })
    const added = await owner.get(host)
    zone.clear('_animal-store.docs')
    zone.put('_animal-store.docs', 'TXT', added.verification.value)
    return await until(
      owner,
      host,
      (domain) => challengesOf(domain).length > 0 && domain.preparation.methods.length > 1,
    )
  }
  /** The record to set, once it has been asked for. */
  const requested = async (owner: Owner, host: string) => {
    const isAsked = (domain: Domain) =>
      challengesOf(domain).some(
        ({ lastsUntil, state }) => lastsUntil !== null && state === 'required',
      )
    return challengesOf(await until(owner, host, isAsked))[0]
  }
  const accountStates = () =>
    query(
      inTest.store.place,
      'publishing',
      'select holder, url, closed_at from holder_accounts order by created_at',
    )

  it('is offered, chosen by command line, issued, and void after the removal', async () => {
    const owner = await inTest.owner()
    const run = await commandOf(owner)
    const zone = inTest.buy()
    zone.put('docs', 'A', inTest.lab.topology.otherPlatform)
    const host = `docs.${zone.name}`
    await owner.ask('', { body: { host, prepare: true } })
    expect(await owner.get(host)).toMatchObject({
      preparation: { method: 'dns-01', methods: ['dns-01'] },
    })
    const early = await run('prepare', host, '--method', method)
    expect(early.status).not.toBe(0)
    expect(early.stderr).toContain(`has not offered dns-persist-01 for ${host}`)

    const first = await offered(owner, zone)
    expect(first.preparation).toMatchObject({ method: 'dns-01', methods: ['dns-01', method] })
    expect(challengesOf(first)).toMatchObject([{ host: `_acme-challenge.${host}` }])
    const chosen = await run('prepare', host, '--method', method)
    expect(chosen).toMatchObject({ status: 0 })
    const record = await requested(owner, host)
    expect(record).toMatchObject({
      ...{ host: `_validation-persist.${host}`, name: '_validation-persist.docs', type: 'TXT' },
      ...{ setBy: null, replaces: null },
    })
    const { persistUntil = 0, isWildcard } = parsePersistentRecord(record?.value ?? '') ?? {}
    expect(isWildcard).toBe(false)
    expect(record?.lastsUntil).toBe(new Date(persistUntil).toISOString())
    expect(persistUntil - inTest.store.clock.now).toBeGreaterThan(59 * day)
    const shown = await run('prepare', host)
    expect(shown.stdout).toMatch(/Name +_validation-persist\.docs/)
    expect(shown.stdout).toContain(`Valid to  ${record?.lastsUntil}`)
    // The other record can be deleted.
    expect(challengesOf(await owner.get(host)).map(({ host, state }) => [host, state])).toEqual([
      [`_validation-persist.${host}`, 'required'],
      [`_acme-challenge.${host}`, 'obsolete'],
    ])

    zone.put('_validation-persist.docs', 'TXT', record?.value ?? '')
    await until(owner, host, ({ badge }) => badge === 'ready_to_switch')
    expect((await ask(port, host, ca)).text).toBe(`<title>${owner.slug}</title>`)
    zone.clear('docs').put('docs', 'CNAME', `${target}.`)
    const active = await until(owner, host, ({ badge }) => badge === 'active')
    expect(challengesOf(active).map(({ host, state }) => [host, state])).toContainEqual([
      `_validation-persist.${host}`,
      'obsolete',
    ])
    const { stdout } = await run('remove', host)
    expect(stdout).toMatch(
      new RegExp(`^ +_validation-persist\\.${host} +3600 +TXT +\\S+; acc`, 'm'),
    )
    expect(stdout).toContain('We close that account now, which makes the record void.')
    const [account] = (await eventually(accountStates, (rows) =>
      rows.every((row) => row.closed_at !== null),
    )) as { url: string }[]
    if (!draft.includes('Pebble')) {
      const known = (inTest.lab.authority as LabAuthority).accounts()
      expect(known.find(({ url }) => url === account?.url)?.status).toBe('deactivated')
    }
    const events = (await owner.person.ask(`/projects/${owner.slug}/domains/${host}/events`))
      .json as { items: { type: string; detail: Record<string, string> }[] }
    expect(events.items[0]).toMatchObject({
      type: 'removed',
      detail: { recordName: `_validation-persist.${host}`, recordValue: record?.value },
    })
  })

  // What the drafts have in common, once.
  if (draft !== 'draft 02') return

  it('of another account gives no certificate: while that has the domain, and after it was removed', async () => {
    const [victim, attacker] = [await inTest.owner(), await inTest.owner()]
    const zone = inTest.buy()
    zone.put('docs', 'A', inTest.lab.topology.otherPlatform)
    const host = `docs.${zone.name}`
    await offered(victim, zone)
    expectJson(await choose(victim, host), 200)
    const record = await requested(victim, host)
    zone.put('_validation-persist.docs', 'TXT', record?.value ?? '')
    await until(victim, host, ({ badge }) => badge === 'ready_to_switch')

    const refused = async () => {
      await attacker.ask(`/${host}`, { method: 'PATCH', body: { prepare: true } })
      expect((await choose(attacker, host)).status).toBe(400)
      const seen = await attacker.verify(host)
      expect(seen).toMatchObject({ certificate: { state: 'none', steps: [] } })
      expect(seen.ownership).not.toBe('proven')
      expect(challengesOf(seen)).toEqual([])
    }
    await attacker.add(host)
    await refused()
    const removed = (await victim.remove(host)) as RemovedDomain
    expect(removed.persistentRecord).toMatchObject({
      value: record?.value,
      isAccountClosed: true,
    })
    await refused()

    // Its next owner gets another account, for which the record that was left is worth nothing.
    await attacker.remove(host)
    const next = await inTest.owner()
    await offered(next, zone)
    expectJson(await choose(next, host), 200)
    const own = await requested(next, host)
    expect(own?.value).not.toBe(record?.value)
    await next.verify(host)
    await next.verify(host)
    expect(await next.get(host)).toMatchObject({
      badge: 'prepare_certificate',
      certificate: { expiresAt: null },
    })
    const holders = await accountStates()
    expect(new Set(holders.map(({ url }) => url)).size).toBe(holders.length)
    zone.put('_validation-persist.docs', 'TXT', own?.value ?? '')
    await until(next, host, ({ badge }) => badge === 'ready_to_switch')
  })

  it('ends with the project: its account is closed', async () => {
    const owner = await inTest.owner()
    const zone = inTest.buy()
    await offered(owner, zone)
    const host = `docs.${zone.name}`
    expectJson(await choose(owner, host), 200)
    await requested(owner, host)
    const path = `/projects/${owner.slug}?name=${owner.slug}`
    expect((await owner.person.ask(path, { method: 'DELETE' })).status).toBe(204)
    const rows = await eventually(accountStates, (rows) => rows.at(-1)?.closed_at !== null)
    expect(rows.at(-1)).toMatchObject({ holder: owner.person.account.id })
  })
})
