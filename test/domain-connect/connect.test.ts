// One click at a DNS provider, over HTTP: what is offered, what the provider shows and writes, and what its return is
// worth. The state of a domain always comes from DNS.

import { existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { Domain } from '#domains/api/schema.ts'
import type { ProviderId } from '../../lab/network/topology.ts'
import { noQuirks } from '../../lab/registrar/connect/connect-state.ts'
import { cases, isLong } from '../cases.ts'
import { engines } from '../database.ts'
import { type Owner, target } from '../domains/domains-in-test.ts'
import { eventually } from '../eventually.ts'
import { expectJson, hour, minute } from '../publishing/publishing-in-test.ts'
import { runCommand } from '../served-process.ts'
import { shared } from '../shared.ts'
import {
  atConsent,
  comeBack,
  getConnect,
  publishKeys,
  type ShownRecord,
  setQuirks,
  showKeys,
  start,
  startConnect,
} from './connect-in-test.ts'

const texts = (records: ShownRecord[] = []) =>
  records.map(({ type, value }) => `${type} ${value.replace(/\.$/, '')}`).toSorted()

describe.each(cases(engines))('on %s', (engine) => {
  const inTest = shared(() => startConnect(engine))
  afterEach(async () => {
    for (const id of ['burrow', 'pigeon'] as const) await setQuirks(inTest, id, noQuirks)
  })

  async function added(provider: ProviderId = 'burrow', at = 'docs') {
    const owner = await inTest.owner()
    const zone = inTest.buy(provider)
    const host = `${at}.${zone.name}`
    return { owner, zone, host, add: () => owner.add(host) }
  }

  /** Newest first. */
  const connectEvents = async (owner: Owner, host: string) =>
    (await owner.events(host)).filter(({ type }) => type.startsWith('connect_'))

  describe.each(cases(['burrow', 'pigeon'] as const))('at %s', (provider) => {
    it('sets the record: shown before, written at once, believed from DNS', async () => {
      const { add, host, owner, zone } = await added(provider)
      for (const type of ['A', 'MX', 'TXT'] as const) {
        const value = { A: '192.0.2.7', MX: '10 mail.example.net.', TXT: 'v=spf1 -all' }[type]
        zone.put('docs', type, value)
      }
      await add()
      const offer = await getConnect(owner, host)
      expect(offer).toMatchObject({ status: 'offered', reason: null, lastReturn: null })
      expect(offer.provider?.site).toBe(new URL(inTest.lab.consentOrigin).host)
      expect(offer.adds).toEqual([{ name: host, type: 'CNAME', value: target }])
      const started = await start(owner, host)
      const link = new URL(started.url)
      expect(link.searchParams.get('groupId')).toBe('site')
      expect(link.search).toMatch(/&key=_dck1&sig=[^&]+$/)
      const shown = await atConsent(inTest, started.url)
      expect(shown).toMatchObject({ host, platform: 'Acorn Docs' })
      expect(texts(shown.adds)).toEqual([`CNAME ${target}`])
      // What was announced is what is deleted.
      expect(texts(shown.deletes)).toEqual(texts(started.deletes))
      expect(texts(offer.deletes)).toEqual(texts(shown.deletes))
      expect(texts(shown.deletes)).toHaveLength(3)
      expect((await owner.get(host)).dns).not.toBe('ok')
      const { back } = await atConsent(inTest, started.url, 'confirm')
      inTest.pass(11_000)
      const finished = await comeBack(owner, back ?? '')
      expect(finished.json).toEqual({ project: owner.slug, host, outcome: 'done' })
      expect(await owner.get(host)).toMatchObject({ dns: 'ok', ownership: 'proven' })
      expect((await comeBack(owner, back ?? '')).status).toBe(410)
      const name = { burrow: 'Burrow DNS', pigeon: 'Plain Pigeon' }[provider]
      expect(await connectEvents(owner, host)).toMatchObject([
        { type: 'connect_returned', detail: { provider: name, outcome: 'done' } },
        { type: 'connect_started', detail: { provider: name }, actor: { name: 'Somebody' } },
      ])
      expect(await getConnect(owner, host)).toMatchObject({
        ...{ status: 'unavailable', reason: 'not_needed', message: null },
        lastReturn: {
          outcome: 'done',
          isSet: true,
          message: expect.stringContaining('has set the records.'),
        },
      })
    })

    it('tells what to do when the provider does not send the browser back', async () => {
      const { add, host, owner } = await added(provider)
      await add()
      expect((await getConnect(owner, host)).open).toBeNull()
      await start(owner, host)
      const startedAt = inTest.store.clock.now
      const title = { burrow: 'Burrow DNS', pigeon: 'Plain Pigeon' }[provider]
      expect((await getConnect(owner, host)).open).toEqual({
        ...{ provider: title, isLate: false, startedAt: new Date(startedAt).toISOString() },
        message: `Waiting for the confirmation at ${title}. Your name servers are checked automatically.`,
      })
      inTest.pass(2 * minute)
      expect(await getConnect(owner, host)).toMatchObject({
        ...{ status: 'offered', lastReturn: null },
        open: {
          isLate: true,
          message: `${title} has not sent the browser back, and your name servers do not have the records yet. Try again, or create the record yourself.`,
        },
      })
      expect((await owner.get(host)).record).toMatchObject({ type: 'CNAME', value: target })
      // It writes, and keeps the browser: DNS says so.
      await setQuirks(inTest, provider, { confirm: 'no_return' })
      const { url } = await start(owner, host)
      expect((await atConsent(inTest, url, 'confirm')).back).toBeNull()
      expect(await owner.verify(host)).toMatchObject({ dns: 'ok', ownership: 'proven' })
      expect(await getConnect(owner, host)).toMatchObject({ reason: 'not_needed', open: null })
    })

    it('proves ownership where a CNAME is not enough', async () => {
      const { add, host, owner, zone } = await added(provider)
      zone.put('docs', 'CNAME', `${target}.`)
      zone.put('_animal-store.docs', 'TXT', 'animal-store-verify=of-an-earlier-account')
      await add()
      await owner.verify(host)
      const { adds, deletes } = await getConnect(owner, host)
      expect(adds.map(({ type }) => type)).toEqual(['TXT'])
      // The record may be the proof of another account.
      expect(deletes).toEqual([])
      const { url } = await start(owner, host)
      expect(new URL(url).searchParams.get('groupId')).toBe('ownership')
      await setQuirks(inTest, provider, { confirm: 'false_success' })
      const without = await atConsent(inTest, url, 'confirm')
      inTest.pass(11_000)
      await comeBack(owner, without.back ?? '')
      expect((await getConnect(owner, host)).lastReturn?.message).toContain('do not have them yet')
      await setQuirks(inTest, provider, { confirm: 'fine' })
      const { back } = await atConsent(inTest, (await start(owner, host)).url, 'confirm')
      inTest.pass(11_000)
      await comeBack(owner, back ?? '')
      expect(await owner.get(host)).toMatchObject({ ownership: 'proven', provenBy: 'txt' })
    })
  })

  it('switches no live site before its certificate is prepared', async () => {
    const { host, owner, zone } = await added()
    zone.put('docs', 'CNAME', 'sites.dovecote.test.')
    const body = { host, prepare: true }
    const { verification } = expectJson(await owner.ask('', { body }), 201) as Domain
    const offer = await getConnect(owner, host)
    expect([offer.status, offer.deletes]).toEqual(['offered', []])
    const { url } = await start(owner, host)
    expect(new URL(url).searchParams.get('groupId')).toBe('ownership')
    await atConsent(inTest, url, 'confirm')
    expect(await owner.verify(host)).toMatchObject({ ownership: 'proven', dns: 'wrong_target' })
    const { records } = inTest.lab.domains.describe(zone.name)
    expect(records.map(({ type, value }) => `${type} ${value}`)).toEqual(
      expect.arrayContaining(['CNAME sites.dovecote.test.', `TXT ${verification.value}`]),
    )
    // The certificate, which the program itself issues here.
    await owner.until(host, ({ badge }) => badge === 'ready_to_switch')
    const switching = await start(owner, host)
    expect(new URL(switching.url).searchParams.get('groupId')).toBe('site')
    expect(texts(switching.deletes)).toEqual(['CNAME sites.dovecote.test'])
  })

  it('is started by command line, which waits for DNS', async () => {
    const { add, host, owner } = await added()
    await add()
    const opened = join(inTest.lab.folder, `opened-${host}`)
    const browser = join(inTest.lab.folder, 'browser')
    await writeFile(browser, `#!/bin/sh\nprintf %s "$1" > '${opened}'\n`, { mode: 0o755 })
    // On this machine, as an operator.
    const printed = await runCommand(
      inTest.store.place,
      ['domains', 'connect', host, '--project', owner.slug],
      inTest.env,
    )
    expect([printed.status, printed.stderr]).toEqual([0, ''])
    expect(printed.stdout).toMatch(/^Burrow DNS sets the records of docs.* after you confirm at:$/m)
    expect(printed.stdout).toMatch(new RegExp(`^ *CNAME +${host} +${target}$`, 'm'))
    // With a token, at the server.
    const run = (words: string[], opener = browser) =>
      owner.run(['domains', 'connect', ...words, '--project', owner.slug], '', { BROWSER: opener })
    const late = await run([host, '--wait', '--timeout', '1s'])
    expect(late.status).toBe(1)
    expect(late.stderr).toContain(`DNS does not have the records of ${host} yet: Add DNS record.`)
    const waiting = run([host, '--open', '--wait', '--json'])
    const isOpened = () => existsSync(opened) && readFileSync(opened, 'utf8') !== ''
    await eventually(async () => isOpened(), Boolean)
    const { back } = await atConsent(inTest, readFileSync(opened, 'utf8'), 'confirm')
    await owner.verify(host)
    const waited = await waiting
    expect([waited.status, waited.stderr]).toEqual([0, ''])
    const lines = waited.stdout.trim().split('\n')
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ provider: 'Burrow DNS' })
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ host, dns: 'ok', ownership: 'proven' })
    // A browser in which the same account is signed in.
    expect((await comeBack(owner, back ?? '')).json).toMatchObject({ outcome: 'done' })
    const again = await run([host])
    expect(again).toMatchObject({ status: 0, stdout: `No record of ${host} has to be set now.\n` })
    // The browser cannot be started; the provider does not take part.
    const other = `other.${host.slice('docs.'.length)}`
    await owner.add(other)
    const without = await run([other, '--open'], join(inTest.lab.folder, 'none'))
    expect([without.status, without.stderr]).toEqual([
      1,
      expect.stringMatching(/none could not be started: open the link yourself/),
    ])
    await setQuirks(inTest, 'burrow', { settings: 'not_found' })
    const third = `third.${host.slice('docs.'.length)}`
    await owner.add(third)
    const refused = await run([third])
    expect(refused.status).toBe(1)
    expect(refused.stdout).toMatch(
      /^The DNS provider does not take part in one click\.\n\nCreate this DNS record:/,
    )
  })

  it('offers nothing for an apex, a sub-zone without provider, a name of two accounts', async () => {
    const { owner, zone } = await added()
    await owner.add(zone.name)
    expect(await getConnect(owner, zone.name)).toMatchObject({ reason: 'apex', provider: null })
    const rival = await inTest.owner()
    const host = `shared.${zone.name}`
    await owner.add(host)
    await rival.add(host)
    for (const each of [owner, rival]) {
      expect(await getConnect(each, host)).toMatchObject({
        reason: 'held_by_other',
        message: expect.stringContaining('Create the TXT record yourself.'),
      })
      const refused = await each.post(`/${host}/connect`)
      expect([refused.status, refused.json]).toMatchObject([409, { code: 'connect_unavailable' }])
    }
    const delegated = `docs.part.${zone.name}`
    zone.put('part', 'NS', 'ns1.pigeon.test.')
    await owner.add(delegated)
    expect((await getConnect(owner, delegated)).status).toBe('unavailable')
  })

  it('refuses a request that was changed, and one whose key is not published any more', async () => {
    const { add, host, owner } = await added()
    await add()
    const { url } = await start(owner, host)
    const changed = (change: (link: URL) => void) => {
      const link = new URL(url)
      change(link)
      return link.href
    }
    const links: Record<string, string> = {
      host: url.replace('host=docs', 'host=www'),
      group: url.replace('groupId=site', 'groupId=site%2Cownership'),
      variable: changed(({ searchParams }) => searchParams.set('verify', 'x'.repeat(22))),
      address: url.replace(/redirect_uri=[^&]+/, 'redirect_uri=https%3A%2F%2Fevil.example%2F'),
      added: url.replace('?', '?utm_source=mail&'),
      'without signature': url.replace(/&key=.*$/, ''),
      'other key': url.replace('key=_dck1', 'key=_dck9'),
      'other service': url.replace('/services/docs/', '/services/mail/'),
    }
    for (const [what, link] of Object.entries(links)) {
      const shown = await atConsent(inTest, link)
      expect(shown.refused, what).toEqual(expect.any(String))
      expect([shown.back ?? null, shown.adds], what).toEqual([null, undefined])
      await expect(atConsent(inTest, link, 'confirm'), what).rejects.toThrow('409')
    }
    expect((await atConsent(inTest, url)).refused).toBeUndefined()
    inTest.lab.dns.setPlatformRecords([])
    inTest.lab.dns.clearResolvers()
    expect((await atConsent(inTest, url)).refused).toContain('There is no valid key at _dck1.')
    await publishKeys(inTest, await showKeys(inTest))
    inTest.lab.dns.clearResolvers()
  })

  it('lets only the session that started it return, once, and within an hour', async () => {
    const { add, host, owner } = await added()
    await add()
    const { url } = await start(owner, host)
    const { back } = await atConsent(inTest, url, 'cancel')
    const stranger = await inTest.owner()
    for (const other of [stranger, { person: inTest.operator }]) {
      expect((await comeBack(other, back ?? '')).json).toMatchObject({ code: 'link_not_valid' })
    }
    // A token, and a new session, of the same account.
    const body = { state: new URL(back ?? '').pathname.split('/').at(-1), error: 'access_denied' }
    const token = await owner.person.token()
    expect(await owner.person.ask('/domain-connections/return', { body, token })).toMatchObject({
      status: 410,
    })
    const before = owner.person.cookie()
    await owner.person.signIn()
    expect((await comeBack(owner, back ?? '')).status).toBe(410)
    const asBefore = { headers: { cookie: before }, body }
    expect((await owner.person.ask('/domain-connections/return', asBefore)).status).toBe(200)
    const late = await start(owner, host)
    inTest.pass(hour)
    const lateBack = (await atConsent(inTest, late.url, 'confirm')).back ?? ''
    expect((await comeBack(owner, lateBack)).status).toBe(410)
    expect((await owner.verify(host)).dns).toBe('ok')
  })

  it('takes neither a success nor an error of a provider on trust', async () => {
    const returned = async (
      quirk: 'false_success' | 'false_error' | 'late' | 'fine',
      cancel = false,
    ) => {
      const { add, host, owner } = await added()
      await add()
      await setQuirks(inTest, 'burrow', { confirm: quirk })
      const { url } = await start(owner, host)
      const { back } = await atConsent(inTest, url, cancel ? 'cancel' : 'confirm')
      inTest.pass(11_000)
      expect((await comeBack(owner, back ?? '')).status).toBe(200)
      const { lastReturn } = await getConnect(owner, host)
      return { dns: (await owner.get(host)).dns, message: lastReturn?.message, owner, host }
    }
    expect(await returned('false_success')).toMatchObject({
      dns: 'missing',
      message: expect.stringContaining('Your name servers do not have them yet'),
    })
    expect(await returned('false_error')).toMatchObject({
      dns: 'ok',
      message: 'Burrow DNS reported that nothing was changed, but the records are there.',
    })
    const late = await returned('late')
    expect(late.dns).toBe('missing')
    inTest.pass(60_000)
    inTest.lab.dns.clearResolvers()
    expect((await late.owner.verify(late.host)).dns).toBe('ok')
    expect(await returned('fine', true)).toMatchObject({
      dns: 'missing',
      message: 'You cancelled at Burrow DNS. Nothing was changed in DNS.',
    })
  })

  if (isLong)
    it('explains every fault of a provider, and never offers the click then', async () => {
      const offered = async (quirks: Parameters<typeof setQuirks>[2]) => {
        const { add, host, owner } = await added()
        await add()
        await setQuirks(inTest, 'burrow', quirks)
        const offer = await getConnect(owner, host)
        const response = await owner.post(`/${host}/connect`)
        expect(response.status === 201, JSON.stringify(quirks)).toBe(offer.status === 'offered')
        expect((await owner.get(host)).record).toMatchObject({ type: 'CNAME', value: target })
        await setQuirks(inTest, 'burrow', noQuirks)
        return [offer.reason, offer.message]
      }
      for (const [quirks, reason, message] of [
        [{ record: 'several' }, null, null],
        [{ record: 'none' }, 'no_record', null],
        [{ record: 'former' }, 'not_hosted', null],
        [{ settings: 'not_found' }, 'not_hosted', null],
        [
          { settings: 'slow' },
          'unreachable',
          'connect.burrow.test does not respond as expected now (no answer within 3 s). Create the record yourself, or try again later.',
        ],
        [{ settings: 'error' }, 'unreachable', 'status 500'],
        [{ settings: 'huge' }, 'unreachable', 'more than 65536 bytes'],
        [{ settings: 'redirect' }, 'unreachable', 'status 302'],
        [{ settings: 'not_json' }, 'invalid_settings', 'cannot be read'],
        [{ settings: 'must_understand' }, 'invalid_settings', 'settings'],
        [{ settings: 'other_site' }, 'other_site', 'does not belong'],
        [{ settings: 'other_servers' }, 'left_over', 'other name servers'],
        [{ settings: 'no_consent_page' }, 'manual_only', 'no page'],
        [
          { settings: 'private_address' },
          'template_unreachable',
          'refused: 10.0.0.1 is not a public address',
        ],
        [{ template: 'unknown' }, 'template_unknown', 'does not know'],
        [{ template: 'old' }, 'template_old', 'earlier version'],
        [{ template: 'error' }, 'template_unreachable', 'status 503'],
      ] as const)
        expect(await offered(quirks), JSON.stringify(quirks)).toEqual([
          reason,
          message === null ? null : expect.stringContaining(message),
        ])
    })
})
