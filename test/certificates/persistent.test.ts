// A certificate before DNS is switched by a TXT record that stays valid (dns-persist-01): drafts 02 and 01 against the lab's
// own authority, draft 00 against Pebble. The record names an account of its holder alone, and is void with that account.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { LabAuthority } from '../../lab/certificate-authority/lab-authority.ts'
import { platformHost } from '../../lab/network/topology.ts'
import { programOrigin } from '../../server/platform/audit/record-audit.ts'
import type { AcmeSession } from '../../server/publishing/acme/requests/acme-client.ts'
import { getAuthorization } from '../../server/publishing/acme/resources/authorizations.ts'
import { createOrder } from '../../server/publishing/acme/resources/orders.ts'
import { parsePersistentRecord } from '../../server/publishing/acme/resources/persistent-record.ts'
import { holderAccountContext } from '../../server/publishing/certificates/authorities/holder-accounts.ts'
import { removeDomain } from '../../server/publishing/domains/claims/remove-domain.ts'
import {
  findWantedChallenge,
  persistentNameOf,
} from '../../server/publishing/domains/database/find-challenge.ts'
import { findLastEvidence } from '../../server/publishing/domains/database/find-domains.ts'
import { judge } from '../../server/publishing/domains/doctor/judge.ts'
import { badgeOf } from '../../server/publishing/domains/state/badge.ts'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { closeAccountsNow, findRecordedEvents, setHolder } from './certificate-rows-in-test.ts'
import {
  day,
  type EngineWorld,
  minute,
  type Subject,
  startEngineWorld,
  type TestEngine,
} from './engine-in-test.ts'

const second = 1000
const label = '_validation-persist.docs'
const method = 'dns-persist-01'
// The earlier drafts on one engine each: the records differ, not how they are stored.
const authorities = [
  ['sqlite', 'draft 02', { PEBBLE: '' }],
  ['postgres', 'draft 02', { PEBBLE: '' }],
  ['postgres', 'draft 01', { PEBBLE: '', LAB_PERSIST_DRAFT: '01' }],
  ['sqlite', 'draft 00 (Pebble)', {}],
] as const
const worlds = authorities.filter(([database]) => engines.includes(database))

describe.each(cases(worlds))('on %s, by %s', (database, draft, env) => {
  const isPebble = draft.includes('Pebble')
  let world: EngineWorld
  let engine: TestEngine
  beforeAll(async () => {
    world = await startEngineWorld(database, { ...process.env, ...env })
    engine = world.startEngine()
  })
  afterAll(() => world.release())
  beforeEach(() => {
    if (isPebble) world.clock.now = Date.now()
  })

  const wantedOf = async (subject: Subject) =>
    await findWantedChallenge(world.database.read, await world.get(subject.id))
  const askedValue = async (subject: Subject): Promise<string> => {
    const { value } = (await wantedOf(subject)) ?? {}
    if (value === undefined) throw new Error('no record is asked for')
    return value
  }
  const codesOf = async (subject: Subject): Promise<string[]> => {
    const kept = await findLastEvidence(world.database.read, subject.id)
    return judge(JSON.parse(kept ?? '')).diagnostics.map(({ code }) => code)
  }
  const badge = async (subject: Subject) =>
    badgeOf((await world.get(subject.id)).state, world.clock.now)
  /** Checks, as the Verify button does, and processes what is due then. */
  const look = async (subject: Subject, after = minute) => {
    world.clock.now += after
    await world.check(subject)
    const { state } = await world.get(subject.id)
    if (state.issueAt !== null && state.issueAt <= world.clock.now) await engine.settle(subject)
    return (await world.get(subject.id)).state
  }
  const ordersOf = async ({ host }: Subject) =>
    (await world.ledger(host)).filter(({ kind }) => kind === 'order').length
  const accountsOf = async (holder: string) =>
    (await world.rows()).holderAccounts.filter((account) => account.holder === holder)
  const requestsOf = async ({ id }: Subject) =>
    (await findRecordedEvents(world.database, id)).filter(
      ({ detail, type }) => type === 'challenge_requested' && detail.lastsUntil !== undefined,
    )

  /** A domain elsewhere with a holder of its own, for whose first order a record for one validation was asked. */
  const offered = async (holder: string, provider?: 'burrow' | 'pigeon') => {
    const subject = await world.elsewhere('docs', provider)
    await setHolder(world.database, subject.id, holder)
    await engine.settle(subject)
    return subject
  }
  let holders = 0
  /** The same, after its owner has chosen the persistent record. */
  const chosen = async (provider?: 'burrow' | 'pigeon') => {
    const holder = `acc_holder${++holders}`
    const subject = await offered(holder, provider)
    await world.prepare(subject, true, method)
    await look(subject)
    return { subject, holder, value: await askedValue(subject) }
  }
  /** The same, with its certificate. */
  const issued = async () => {
    const made = await chosen()
    made.subject.put(label, 'TXT', made.value)
    await look(made.subject)
    await look(made.subject)
    expect((await world.get(made.subject.id)).state.certificate).toBe('issued')
    return made
  }
  /** Requests with the key that is stored for a holder, as somebody who has stolen it could send. */
  const sessionOf = async (holder: string): Promise<AcmeSession> => {
    const { client } = await engine.session()
    const [stored] = await accountsOf(holder)
    if (!stored) throw new Error(`${holder} has no account`)
    const { id, private_key: encrypted, url } = stored
    expect(encrypted).not.toContain('PRIVATE KEY')
    const privateKey = world.secrets.decrypt(encrypted, holderAccountContext(id)).toString()
    return { client, account: { url, privateKey } }
  }

  it('is offered, chosen, issued without an order in vain, and renewed by HTTP-01 after the switch', async () => {
    const holder = `acc_holder${++holders}`
    const subject = await offered(holder)
    expect((await world.get(subject.id)).persistOffer?.issuers).toEqual([
      isPebble ? 'pebble.letsencrypt.org' : 'lantern-ca.example',
    ])
    const once = await askedValue(subject)
    expect(await accountsOf(holder)).toEqual([])
    await world.prepare(subject, true, method)
    // The value for one validation is of no use any more.
    expect((await world.get(subject.id)).formerChallenge).toMatchObject({ value: once })
    await look(subject)
    const value = await askedValue(subject)
    const [account] = await accountsOf(holder)
    const { url: own } = (await engine.session()).account
    expect(account?.url).toMatch(/^https:/)
    expect(account?.url).not.toBe(own)
    const record = parsePersistentRecord(value)
    expect(record).toMatchObject({ isWildcard: false })
    if (draft === 'draft 02') {
      expect(record?.accountUri).toMatch(/\/account-hash\/sha-256\/[A-Za-z0-9_-]{43}$/)
    } else expect(record?.accountUri).toBe(account?.url)
    const until = record?.persistUntil ?? 0
    expect(until).toBeGreaterThan(world.clock.now + 59 * day)
    expect(until).toBeLessThanOrEqual(world.clock.now + 60 * day)
    expect(await badge(subject)).toBe('prepare_certificate')
    expect(await requestsOf(subject)).toMatchObject([
      {
        detail: {
          recordName: persistentNameOf(subject.host),
          recordValue: value,
          lastsUntil: new Date(until).toISOString(),
        },
      },
    ])

    // Nothing is ordered before, and the value stays over restarts.
    expect(await ordersOf(subject)).toBe(1)
    const other = world.startEngine({ database: world.openAgain() })
    await other.processCertificate(subject)
    await look(subject)
    expect(await askedValue(subject)).toBe(value)
    expect(await codesOf(subject)).toEqual(['M03'])
    world.lab.domains.changeServer(subject.zone, 'ns3.burrow.test', { delay: 'held' })
    subject.put(label, 'TXT', 'other-ca.example; accounturi=https://other-ca.example/1')
    subject.put(label, 'TXT', value)
    await look(subject)
    expect(await codesOf(subject)).toEqual(['M03'])
    expect(await ordersOf(subject)).toBe(1)
    world.lab.domains.changeServer(subject.zone, 'ns3.burrow.test', { delay: 0 })
    await look(subject, 20 * second)
    expect(await codesOf(subject)).toEqual([])
    expect(await look(subject, 20 * second)).toMatchObject({
      ...{ certificate: 'issued', dns: 'conflict', serving: 'https' },
    })
    expect(await badge(subject)).toBe('ready_to_switch')
    expect((await world.ledger(subject.host)).map(({ kind }) => kind)).toEqual([
      ...['order', 'order', 'certificate'],
    ])
    expect(await requestsOf(subject)).toHaveLength(1)

    subject.clear('docs')
    subject.put('docs', 'CNAME', `${platformHost}.`)
    expect(await look(subject)).toMatchObject({ preparation: 'switched', serving: 'https' })
    subject.clear(label)
    world.clock.now = (await world.get(subject.id)).state.renewAt ?? 0
    await world.check(subject)
    await engine.settle(subject)
    const { certificates } = await world.rows()
    expect(certificates.filter(({ domain_id: id }) => id === subject.id)).toHaveLength(2)
    expect(
      (await world.rows()).holderAccounts.filter(({ id }) => id === account?.id),
    ).toMatchObject([{ released_at: null }])
  })

  if (!isPebble)
    it('is issued by an authority that validates while the order is placed', async () => {
      const { policy } = world.lab.authority as LabAuthority
      policy.validatesAtOnce = true
      const { holder, subject } = await issued().finally(() => {
        policy.validatesAtOnce = false
      })
      expect(await badge(subject)).toBe('ready_to_switch')
      // No challenge was answered.
      expect((await world.get(subject.id)).state.attempt).toMatchObject({
        ...{ isIssued: true, validatingAt: null },
      })
      expect((await world.ledger(subject.host)).map(({ kind }) => kind)).toEqual([
        ...['order', 'order', 'certificate'],
      ])
      const session = await sessionOf(holder)
      const [authorization] = (await world.rows()).authorizations.filter(
        ({ account, domain_id: id }) => id === subject.id && account === session.account.url,
      )
      const statusNow = async () =>
        (await getAuthorization(session, authorization?.url ?? '')).status
      expect(await statusNow()).toBe('valid')
      await removeDomain(world.database, { id: subject.id, origin: programOrigin(world.clock.now) })
      await engine.deactivateAuthorizations()
      expect(await statusNow()).toBe('deactivated')
    })

  it.each(
    cases([
      ['quotes', (value: string) => `"${value}"`],
      ['a semicolon at the end', (value: string) => `${value};`],
      [
        'a parameter twice',
        (value: string) => value.replace('; persist', '; persistUntil=1; persist'),
      ],
      ['all names below', (value: string) => `${value}; policy=wildcard`],
      ['an end that has passed', (value: string) => value.replace(/\d+$/, '1700000000')],
      ['no end', (value: string) => value.replace(/; persistUntil.*/, '')],
      ['another account', (value: string) => value.replace(/=.*; p/, '=https://ca.example/2; p')],
    ]),
  )('orders nothing for a record with %s', async (_, wrong) => {
    // The other provider's form corrects some of these mistakes.
    const { subject, value } = await chosen('pigeon')
    subject.put(label, 'TXT', wrong(value))
    await look(subject)
    expect(await codesOf(subject)).toEqual(['M09'])
    await look(subject)
    expect(await ordersOf(subject)).toBe(1)
    expect(await askedValue(subject)).toBe(value)
  })

  it('orders nothing for a record at the wrong name', async () => {
    const { subject, value } = await chosen('pigeon')
    subject.put(`${label}.${subject.zone}`, 'TXT', value)
    await look(subject)
    expect(await codesOf(subject)).toEqual(['M09'])
    expect(await ordersOf(subject)).toBe(1)
  })

  it('is judged by CAA with the account of the holder', async () => {
    const { holder, subject, value } = await chosen()
    const [account] = await accountsOf(holder)
    const identity = isPebble ? 'pebble.letsencrypt.org' : 'lantern-ca.example'
    const { url: own } = (await engine.session()).account
    subject.put('@', 'CAA', `0 issue "${identity}; accounturi=${own}"`)
    subject.put(label, 'TXT', value)
    expect(await look(subject)).toMatchObject({ certificate: 'blocked', blockedBy: 'C04' })
    subject.put(
      '@',
      'CAA',
      `0 issue "${identity}; accounturi=${account?.url}; validationmethods=${method}"`,
    )
    await look(subject)
    await look(subject)
    expect(await badge(subject)).toBe('ready_to_switch')
  })

  it('is void after the removal of the last domain of its holder: the account is closed', async () => {
    const { holder, subject, value } = await issued()
    const session = await sessionOf(holder)
    const origin = programOrigin(world.clock.now)
    const removed = await removeDomain(world.database, { id: subject.id, origin })
    expect(removed?.persistentRecord).toMatchObject({
      ...{ name: persistentNameOf(subject.host), value, isAccountClosed: true },
      note: expect.stringContaining('We close that account now, which makes the record void.'),
    })
    if (isPebble) {
      // The authority is down at first. The lab's own gives its own addresses, past the proxy.
      world.faults.faultFor = () => ({ kind: 'status', status: 503 })
      await engine.closeAccounts()
      const [waiting] = await accountsOf(holder)
      expect(waiting).toMatchObject({ closed_at: null, tries: 1n })
      expect(Number(waiting?.due_at)).toBeGreaterThan(Date.now() + 30 * second)
      world.faults.faultFor = () => undefined
      await closeAccountsNow(world.database)
    }
    await engine.closeAccounts()
    expect(await accountsOf(holder)).toMatchObject([{ due_at: null, claim: null }])
    expect((await accountsOf(holder))[0]?.closed_at).not.toBeNull()
    if (!isPebble) {
      const known = (world.lab.authority as LabAuthority).accounts()
      expect(known.find(({ url }) => url === session.account.url)?.status).toBe('deactivated')
    }
    // The record is still there, and the key, if somebody has it, is worth nothing.
    await expect(createOrder(session, { hosts: [subject.host] })).rejects.toThrow('unauthorized')

    // Nor is the record of use to the next holder of the host.
    subject.clear('_animal-store.docs')
    const next = await world.add(subject.zone, 'docs')
    await setHolder(world.database, next.id, 'acc_attacker')
    await world.prepare(next, true)
    await look(next)
    expect(await ordersOf(subject)).toBe(2)
    expect(await world.get(next.id)).toMatchObject({ state: { certificate: 'none' } })
  })
})
