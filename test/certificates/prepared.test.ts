// A certificate before DNS is switched: DNS-01 with a record that the owner sets, against Pebble and the lab's own
// authority. Nothing is asked of the authority before every name server has the record, and the value stays.

import { beforeEach, describe, expect, it } from 'vitest'
import { platformHost } from '../../lab/network/topology.ts'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { eventually } from '../eventually.ts'
import { shared } from '../shared.ts'
import { findRecordedEvents } from './certificate-rows-in-test.ts'
import { minute, type Subject, startEngineWorld } from './engine-in-test.ts'

const second = 1000
// Engines and authorities do not depend on each other: each once.
const authorities = [
  ['sqlite', 'Pebble', {}],
  ['postgres', 'the authority of the lab', { PEBBLE: '' }],
] as const
const worlds = authorities.filter(([database]) => engines.includes(database))

describe.each(cases(worlds))('on %s, %s', (database, name, env) => {
  const world = shared(() => startEngineWorld(database, { ...process.env, ...env }))
  const engine = shared(() => world.startEngine())
  // Pebble's own clock is the machine's, and its orders are open for an hour.
  beforeEach(() => {
    world.clock.now = Date.now()
  })

  /** A site elsewhere whose owner is asked for a record, and its value. */
  async function asked() {
    const subject = await world.elsewhere()
    await engine.settle(subject)
    return { subject, value: await world.recordValueOf(subject) }
  }

  const changes = () => world.asked().filter((line) => !line.includes('nonce')).length
  it('is issued while DNS leads elsewhere, and renewed by HTTP-01 after the switch', async () => {
    const subject = await world.elsewhere()
    expect(await world.badgeOf(subject)).toBe('prepare_certificate')
    const asked = await engine.settle(subject)
    expect(asked.state).toMatchObject({ certificate: 'validating', serving: 'http_only' })
    expect(asked.state.recordUntil).toBeGreaterThan(world.clock.now + 30 * minute)
    const value = await world.recordValueOf(subject)

    // The value stays over restarts, and any process goes on.
    const other = world.startEngine({ database: world.openAgain() })
    await other.processCertificate(subject)
    expect(await world.recordValueOf(subject)).toBe(value)
    expect(await world.codesOf(subject)).toEqual([])

    // Three of four name servers spend nothing.
    const spent = changes()
    subject.zone.server(3, { delay: 'held' })
    subject.put('_acme-challenge.docs', 'TXT', value)
    await engine.look(subject)
    expect(await world.codesOf(subject)).toEqual(['M03'])
    expect(changes()).toBe(spent)
    expect(await world.kindsOf(subject)).toEqual(['order'])

    // All of them, twice.
    subject.zone.server(3, { delay: 0 })
    await engine.look(subject, 20 * second)
    expect(await world.codesOf(subject)).toEqual([])
    expect((await world.get(subject.id)).state.certificate).toBe('validating')
    const { certificate, serving, dns } = await engine.look(subject, 20 * second)
    expect({ certificate, dns, serving }).toEqual({
      ...{ certificate: 'issued', dns: 'conflict', serving: 'https' },
    })
    expect(await world.kindsOf(subject)).toEqual(['order', 'certificate'])
    expect(await world.badgeOf(subject)).toBe('ready_to_switch')
    const types = await world.eventTypesOf(subject)
    expect(types).toEqual(expect.arrayContaining(['challenge_requested', 'certificate_prepared']))
    expect(types).not.toContain('active')

    // The switch: some name servers first, then all.
    subject.zone.server(1, { delay: 'held' })
    subject.clear('docs')
    subject.put('docs', 'CNAME', `${platformHost}.`)
    await engine.look(subject)
    expect(await world.badgeOf(subject)).toBe('switching')
    subject.zone.server(1, { delay: 0 })
    expect(await engine.look(subject)).toMatchObject({ preparation: 'switched', serving: 'https' })
    expect(await world.badgeOf(subject)).toBe('active')
    subject.clear('_acme-challenge.docs')
    const { renewAt } = (await world.get(subject.id)).state
    world.clock.now = renewAt ?? 0
    await world.check(subject)
    await engine.settle(subject)
    expect(await world.certificatesOf(subject)).toHaveLength(2)
    expect((await world.ledger(subject.host)).at(-1)?.kind).toMatch(/certificate|renewal/)
  })

  it.each([
    ['quotes', (value: string) => `"${value}"`, '_acme-challenge.docs'],
    ['the whole name doubled', (value: string) => value, undefined],
    ['another value', (value: string) => `${value}x`, '_acme-challenge.docs'],
  ])('spends nothing on a record with %s', async (_, wrong, place) => {
    // The other provider's form corrects these mistakes.
    const subject = await world.elsewhere('docs', 'pigeon')
    await engine.settle(subject)
    const spent = changes()
    const value = await world.recordValueOf(subject)
    subject.put(place ?? `_acme-challenge.docs.${subject.zone.name}`, 'TXT', wrong(value))
    await engine.look(subject)
    expect(await world.codesOf(subject)).toEqual(['M09'])
    await engine.look(subject)
    expect(changes()).toBe(spent)
    expect(await world.recordValueOf(subject)).toBe(value)
  })

  it('uses the same order when DNS is switched before the record is set', async () => {
    const subject = await world.elsewhere()
    await engine.settle(subject)
    subject.clear('docs')
    subject.put('docs', 'CNAME', `${platformHost}.`)
    await engine.look(subject)
    await engine.settle(subject)
    expect((await world.get(subject.id)).state).toMatchObject({
      ...{ certificate: 'issued', preparation: 'switched', serving: 'https', failures: 0 },
    })
    expect(await world.kindsOf(subject)).toEqual(['order', 'certificate'])
  })

  it('says that a refused value is not valid any more', async () => {
    const { subject, value } = await asked()
    subject.put('_acme-challenge.docs', 'TXT', value)
    await engine.look(subject)
    // Its owner deletes the record between our two looks and the authority's.
    world.clock.now += 20 * second
    await world.check(subject)
    subject.clear('_acme-challenge.docs')
    await engine.settle(subject)
    expect((await world.ledger(subject.host)).at(-1)).toMatchObject({
      ...{ kind: 'failed_validation', challengeType: 'dns-01' },
    })
    await engine.look(subject, 2 * minute)
    await engine.settle(subject)
    expect(await world.recordValueOf(subject)).not.toBe(value)
    await engine.look(subject)
    expect(await world.codesOf(subject)).toContain('M04')
    const events = await findRecordedEvents(world.database, subject.id)
    expect(events.filter(({ type }) => type === 'challenge_requested')).toMatchObject([
      { detail: { recordValue: value } },
      { detail: { because: 'refused', recordValue: await world.recordValueOf(subject) } },
    ])
  })

  it('is given up by its owner: the order ends, and the record is of no use', async () => {
    const { subject, value } = await asked()
    await world.prepare(subject, false)
    subject.put('_acme-challenge.docs', 'TXT', value)
    expect(await engine.look(subject)).toMatchObject({ preparation: 'off', issueAt: null })
    await engine.deactivateAuthorizations()
    await world.prepare(subject, true)
    await engine.look(subject)
    await engine.settle(subject)
    expect(await world.recordValueOf(subject)).not.toBe(value)
    await engine.look(subject)
    expect(await world.codesOf(subject)).toContain('M04')
  })

  it.each([
    [
      'M01',
      'CAA at the platform that it points to',
      async (subject: Subject) => {
        subject.clear('docs')
        subject.put('docs', 'CNAME', `old.${subject.zone.name}.`)
        subject.put('old', 'CAA', '0 issue "other.example"')
      },
    ],
    [
      'M02',
      'a CNAME at the name of the record',
      async (subject: Subject) => {
        subject.put('_acme-challenge.docs', 'CNAME', 'docs.dcv.cloudflare.com.')
      },
    ],
    [
      'C01',
      'CAA of its own zone',
      async (subject: Subject) => {
        subject.put('@', 'CAA', '0 issue "other.example"')
      },
    ],
    [
      'C04',
      'CAA that does not allow this method',
      async (subject: Subject) => {
        const identity = name === 'Pebble' ? 'pebble.letsencrypt.org' : 'lantern-ca.example'
        subject.put('@', 'CAA', `0 issue "${identity}; validationmethods=http-01"`)
      },
    ],
  ])('asks nobody before %s is solved: %s', async (code, _, spoil) => {
    const subject = await world.elsewhere()
    await spoil(subject)
    const spent = changes()
    await engine.look(subject)
    const { state } = await engine.settle(subject)
    expect(state).toMatchObject({ certificate: 'blocked', blockedBy: code, recordUntil: null })
    expect(await world.codesOf(subject)).toContain(code)
    expect(await world.badgeOf(subject)).toBe('needs_attention')
    expect(changes()).toBe(spent)
    expect(await world.ledger(subject.host)).toEqual([])
  })

  it('keeps the value while something else has to be solved', async () => {
    const { subject, value } = await asked()
    subject.put('@', 'CAA', '0 issue "other.example"')
    subject.put('_acme-challenge.docs', 'TXT', value)
    expect(await engine.look(subject)).toMatchObject({ certificate: 'blocked', blockedBy: 'C01' })
    expect(await world.recordValueOf(subject)).toBe(value)
    subject.clear('@')
    await engine.look(subject)
    await engine.look(subject)
    expect(await world.badgeOf(subject)).toBe('ready_to_switch')
  })

  it('keeps the value while the authority is down', async () => {
    const { subject, value } = await asked()
    subject.put('_acme-challenge.docs', 'TXT', value)
    await engine.look(subject)
    // The lab's own authority gives its own addresses, past the proxy.
    if (name === 'Pebble') {
      world.faults.faultFor = () => ({ kind: 'status', status: 503 })
      expect(await engine.look(subject)).toMatchObject({ certificate: 'retry_wait', failures: 1 })
      await world.check(subject)
      expect(await world.codesOf(subject)).toContain('T06')
      world.faults.faultFor = () => undefined
    }
    await engine.look(subject, 2 * minute)
    await engine.look(subject)
    expect(await world.badgeOf(subject)).toBe('ready_to_switch')
    expect((await world.get(subject.id)).formerChallenge?.value).toBe(value)
  })

  it('is one order, whichever process looks', async () => {
    const subjects = [await world.elsewhere(), await world.elsewhere()]
    const processes = [1, 2, 3].map(() => world.startEngine({ database: world.openAgain() }))
    for (const each of processes) each.begin()
    const isAsked = async (subject: Subject) => {
      // A process whose database was slow lets its lease expire.
      world.clock.now = Math.max(world.clock.now, Date.now())
      return (await world.get(subject.id)).state.recordUntil !== null
    }
    for (const subject of subjects) {
      await eventually(() => isAsked(subject), Boolean)
      subject.put('_acme-challenge.docs', 'TXT', await world.recordValueOf(subject))
      await eventually(
        async () => {
          world.clock.now += 5 * second
          await world.check(subject)
          return (await world.get(subject.id)).state
        },
        ({ certificate }) => certificate === 'issued',
      )
      expect(await world.kindsOf(subject)).toEqual([...['order', 'certificate']])
    }
    for (const each of processes) await each.stop()
  })

  it('closes with the TXT record of ownership, and opens again with it', async () => {
    const { subject, value } = await asked()
    subject.clear('_animal-store.docs')
    expect(await engine.look(subject)).toMatchObject({ issueAt: null, recordUntil: null })
    subject.put('_acme-challenge.docs', 'TXT', value)
    expect(await engine.look(subject)).toMatchObject({ issueAt: null, certificate: 'none' })
    expect(await world.badgeOf(subject)).toBe('prove_ownership')
    subject.put('_animal-store.docs', 'TXT', 'test')
    await engine.look(subject)
    await engine.settle(subject)
    expect(await world.recordValueOf(subject)).toBe(value)
    await engine.look(subject)
    await engine.look(subject)
    expect(await world.badgeOf(subject)).toBe('ready_to_switch')
  })

  it('asks for a new value when the time is over, and ends the order before', async () => {
    const subject = await world.elsewhere()
    const { state } = await engine.settle(subject)
    const value = await world.recordValueOf(subject)
    world.clock.now = (state.recordUntil ?? 0) + second
    await world.check(subject)
    await engine.settle(subject).catch(() => {})
    if (name !== 'Pebble') {
      expect(await world.recordValueOf(subject)).not.toBe(value)
      await engine.look(subject)
      expect(await world.codesOf(subject)).toEqual(['M03', 'M04'])
    }
  })
})
