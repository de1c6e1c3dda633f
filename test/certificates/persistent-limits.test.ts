// A persistent record where its end, the authority's offers and the accounts of holders matter: the lab's own authority,
// whose policy changes while it runs.
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AuthorityPolicy } from '../../lab/certificate-authority/acme-state.ts'
import type { LabAuthority } from '../../lab/certificate-authority/lab-authority.ts'
import { platformHost } from '../../lab/network/topology.ts'
import { programOrigin } from '../../server/platform/audit/record-audit.ts'
import { deactivateAccount, findAccount } from '../../server/publishing/acme/resources/accounts.ts'
import { revokeCertificate } from '../../server/publishing/acme/resources/certificates.ts'
import { holderAccountContext } from '../../server/publishing/certificates/authorities/holder-accounts.ts'
import { publishingTransaction } from '../../server/publishing/database/publishing-state.ts'
import { removeDomain } from '../../server/publishing/domains/claims/remove-domain.ts'
import { transferDomains } from '../../server/publishing/domains/claims/transfer-domains.ts'
import { applyEvent } from '../../server/publishing/domains/database/apply-event.ts'
import { findWantedChallenge } from '../../server/publishing/domains/database/find-challenge.ts'
import {
  findDomainById,
  findLastEvidence,
} from '../../server/publishing/domains/database/find-domains.ts'
import { judge } from '../../server/publishing/domains/doctor/judge.ts'
import { findRecordedEvents, setHolder } from './certificate-rows-in-test.ts'
import {
  day,
  type EngineWorld,
  hour,
  minute,
  type Subject,
  startEngineWorld,
  type TestEngine,
} from './engine-in-test.ts'

const label = '_validation-persist.docs'
const method = 'dns-persist-01'

let world: EngineWorld
let engine: TestEngine
let policy: AuthorityPolicy
let authority: LabAuthority
beforeAll(async () => {
  world = await startEngineWorld('sqlite', { ...process.env, PEBBLE: '' })
  engine = world.startEngine()
  authority = world.lab.authority as LabAuthority
  policy = authority.policy
})
afterAll(() => world.release())

const askedValue = async (subject: Subject): Promise<string> => {
  const domain = await world.get(subject.id)
  return (await findWantedChallenge(world.database.read, domain))?.value ?? ''
}
const codesOf = async (subject: Subject): Promise<string[]> => {
  const kept = await findLastEvidence(world.database.read, subject.id)
  return judge(JSON.parse(kept ?? '')).diagnostics.map(({ code }) => code)
}
/** Checks, and processes what is due then. */
const look = async (subject: Subject, after = minute) => {
  world.clock.now += after
  await world.check(subject)
  const { state } = await world.get(subject.id)
  if (state.issueAt !== null && state.issueAt <= world.clock.now) await engine.settle(subject)
  return (await world.get(subject.id)).state
}
const accountsOf = async (holder: string) =>
  (await world.rows()).holderAccounts.filter((account) => account.holder === holder)
const statusOf = async (holder: string) => {
  const urls = (await accountsOf(holder)).map(({ url }) => url)
  return authority.accounts().flatMap(({ status, url }) => (urls.includes(url) ? [status] : []))
}
const requestsOf = async ({ id }: Subject) =>
  (await findRecordedEvents(world.database, id))
    .filter(({ detail, type }) => type === 'challenge_requested' && detail.lastsUntil)
    .map(({ detail }) => ({ because: detail.because, value: detail.recordValue }))
const certificatesOf = async ({ id }: Subject) =>
  (await world.rows()).certificates.filter(({ domain_id: domain }) => domain === id)

let holders = 0
const newHolder = () => `acc_limits${++holders}`
/** A domain elsewhere whose owner has chosen the persistent record. */
const chosen = async (holder = newHolder()) => {
  const subject = await world.elsewhere()
  await setHolder(world.database, subject.id, holder)
  await engine.settle(subject)
  await world.prepare(subject, true, method)
  await look(subject)
  return { subject, holder, value: await askedValue(subject) }
}
/** The same, with its certificate. */
const issued = async (holder = newHolder()) => {
  const made = await chosen(holder)
  made.subject.put(label, 'TXT', made.value)
  await look(made.subject)
  await look(made.subject)
  expect(await certificatesOf(made.subject)).toHaveLength(1)
  return made
}
const sessionOf = async (holder: string) => {
  const { client } = await engine.session()
  const stored = (await accountsOf(holder)).at(-1)
  if (!stored) throw new Error(`${holder} has no account`)
  const { id, private_key: encrypted, url } = stored
  const privateKey = world.secrets.decrypt(encrypted, holderAccountContext(id)).toString()
  return { client, account: { url, privateKey } }
}
/** The authority wants it to be renewed at once. */
const revoke = async (subject: Subject, holder: string) => {
  const chain = (await certificatesOf(subject)).at(-1)?.chain ?? ''
  await revokeCertificate(await sessionOf(holder), chain, 'superseded')
}

it('is renewed before the switch without another value, and asked for when it is gone', async () => {
  const { holder, subject, value } = await issued()
  await revoke(subject, holder)
  await look(subject, 13 * hour)
  await look(subject)
  expect(await certificatesOf(subject)).toHaveLength(2)
  expect(await askedValue(subject)).toBe(value)
  expect(await requestsOf(subject)).toEqual([{ because: undefined, value }])

  // The next renewal does not find it: its owner is told, and the value stays.
  subject.clear(label)
  await revoke(subject, holder)
  await look(subject, 13 * hour)
  expect(await codesOf(subject)).toContain('M03')
  expect(await requestsOf(subject)).toHaveLength(2)
  expect(await askedValue(subject)).toBe(value)
  subject.put(label, 'TXT', value)
  await look(subject)
  await look(subject)
  expect(await certificatesOf(subject)).toHaveLength(3)
})

it('needs a new value when it has expired, and says so', async () => {
  const { subject, value } = await issued()
  world.clock.now += 60 * day
  await look(subject)
  await look(subject)
  const next = await askedValue(subject)
  expect(next).not.toBe(value)
  expect(await requestsOf(subject)).toEqual([
    { because: undefined, value },
    { because: 'expired', value: next },
  ])
  // The old record is still there.
  expect(await codesOf(subject)).toEqual(expect.arrayContaining(['M04', 'M09']))
  expect(await certificatesOf(subject)).toHaveLength(1)
  subject.put(label, 'TXT', next)
  await look(subject)
  await look(subject)
  expect(await certificatesOf(subject)).toHaveLength(2)
})

it('gets a new account and value when the authority has closed the account', async () => {
  const { holder, subject, value } = await issued()
  const session = await sessionOf(holder)
  await revoke(subject, holder)
  await deactivateAccount(session.client, session.account)
  await look(subject, 13 * hour)
  await look(subject)
  await look(subject)
  const accounts = await accountsOf(holder)
  expect(accounts).toHaveLength(2)
  expect(accounts.filter(({ released_at: at }) => at === null)).toHaveLength(1)
  const next = await askedValue(subject)
  expect(next).not.toBe(value)
  expect((await requestsOf(subject)).at(-1)).toEqual({ because: 'canceled', value: next })
})

it('keeps its certificate when the other record is chosen, and is validated by that the next time', async () => {
  const { holder, subject } = await issued()
  await world.prepare(subject, true, 'dns-01')
  expect((await world.get(subject.id)).state).toMatchObject({
    ...{ certificate: 'issued', preparationMethod: 'dns-01', serving: 'https' },
  })
  await engine.closeAccounts()
  expect(await statusOf(holder)).toEqual(['deactivated'])
  world.clock.now = (await world.get(subject.id)).state.renewAt ?? 0
  await look(subject)
  subject.put('_acme-challenge.docs', 'TXT', await askedValue(subject))
  await look(subject)
  await look(subject)
  expect(await certificatesOf(subject)).toHaveLength(2)
})

it('keeps the value when DNS answers the authority otherwise than us', async () => {
  const { subject, value } = await chosen()
  subject.put(label, 'TXT', value)
  await look(subject)
  // Its owner deletes the record between our two looks and the authority's.
  world.clock.now += 20_000
  await world.check(subject)
  subject.clear(label)
  await engine.settle(subject)
  expect((await world.ledger(subject.host)).at(-1)).toMatchObject({
    ...{ kind: 'failed_validation', challengeType: method },
  })
  subject.put(label, 'TXT', value)
  await look(subject, 2 * minute)
  await look(subject)
  expect(await certificatesOf(subject)).toHaveLength(1)
  expect(await requestsOf(subject)).toHaveLength(1)
})

it('is one account for all domains of a holder, until the last of them', async () => {
  const holder = newHolder()
  const [first, second] = [await issued(holder), await issued(holder)]
  expect(await accountsOf(holder)).toHaveLength(1)
  const remove = async ({ subject }: typeof first) =>
    await removeDomain(world.database, {
      id: subject.id,
      origin: programOrigin(world.clock.now),
    })
  expect((await remove(first))?.persistentRecord).toMatchObject({
    isAccountClosed: false,
    note: expect.stringMatching(/We do not use it any more, and it expires on 20\d\d-\d\d-\d\d\.$/),
  })
  await engine.closeAccounts()
  expect(await statusOf(holder)).toEqual(['valid'])
  expect((await remove(second))?.persistentRecord).toMatchObject({ isAccountClosed: true })
  await engine.closeAccounts()
  expect(await statusOf(holder)).toEqual(['deactivated'])
  // A domain of the holder later gets another account.
  const third = await issued(holder)
  expect(third.value).not.toContain(second.value.split(';')[1])
  expect(await statusOf(holder)).toEqual(['deactivated', 'valid'])
})

const loseOwnership = publishingTransaction(
  async (session, { at, id }: { at: number; id: string }) => {
    const domain = await findDomainById(session, id)
    if (domain) await applyEvent(session, domain, { type: 'ownership_lost', at })
  },
)
const transferTransaction = publishingTransaction(
  async (session, { at, to }: { at: number; to: string }) => {
    await transferDomains(session, 'prj_test', { id: to, plan: 'paid' }, at)
  },
)

it.each([
  [
    'the ownership is lost',
    (id: string) => loseOwnership(world.database, { id, at: world.clock.now }),
  ],
  ['the preparation is canceled', (id: string) => world.prepare({ id } as Subject, false)],
  [
    'the record for one validation is chosen',
    (id: string) => world.prepare({ id } as Subject, true, 'dns-01'),
  ],
  [
    'the project is transferred',
    () => transferTransaction(world.database, { to: 'acc_next', at: world.clock.now }),
  ],
])('closes the account when %s', async (_, end) => {
  const { holder, subject } = await chosen()
  await end(subject.id)
  await engine.closeAccounts()
  expect(await statusOf(holder)).toEqual(['deactivated'])
  const { orders } = await world.rows()
  const own = orders.filter(({ domain_id: id }) => id === subject.id)
  expect(own.filter(({ account_id: account }) => account !== null)).toEqual([])
})

it('asks the next owner of the project for a record of its own', async () => {
  const { subject, value } = await issued()
  await transferTransaction(world.database, { to: 'acc_other', at: world.clock.now })
  expect(await askedValue(subject)).toBe('')
  world.clock.now = (await world.get(subject.id)).state.renewAt ?? 0
  await look(subject)
  await look(subject)
  expect(await askedValue(subject)).not.toBe(value)
  expect((await requestsOf(subject)).at(-1)?.because).toBe('expired')
  expect(await accountsOf('acc_other')).toHaveLength(1)
})

it('is not asked for where the authority does not offer it any more', async () => {
  const { holder, subject, value } = await chosen()
  subject.put(label, 'TXT', value)
  policy.challenges = ['http-01', 'dns-01']
  await look(subject)
  await look(subject)
  const { blockedBy, certificate } = (await world.get(subject.id)).state
  expect({ blockedBy, certificate }).toEqual({ blockedBy: 'M12', certificate: 'blocked' })
  await world.check(subject)
  expect(await codesOf(subject)).toContain('M12')
  // The other way is open at once.
  await world.prepare(subject, true, 'dns-01')
  await look(subject)
  expect((await world.get(subject.id)).persistOffer).toBeUndefined()
  expect(await askedValue(subject)).toMatch(/^[A-Za-z0-9_-]{43}$/)
  policy.challenges = ['http-01', 'tls-alpn-01', 'dns-01', 'dns-persist-01']
  await engine.closeAccounts()
  expect(await statusOf(holder)).toEqual(['deactivated'])
})

const failTwice = publishingTransaction(async (session, { at, id }: { at: number; id: string }) => {
  const failed = { type: 'failed', at, retryAt: at, jitter: 0 } as const
  const domain = await findDomainById(session, id)
  if (domain) await applyEvent(session, await applyEvent(session, domain, failed), failed)
})

it('stays with the authority that the record names, whatever fallback there is', async () => {
  const { holder, subject, value } = await issued()
  const fallback = { ACME_FALLBACK_DIRECTORY: 'https://127.0.0.1:1/directory' }
  const other = world.startEngine({ env: fallback })
  await revoke(subject, holder)
  world.clock.now += 13 * hour
  await failTwice(world.database, { id: subject.id, at: world.clock.now })
  await world.check(subject)
  await other.settle(subject)
  world.clock.now += minute
  await world.check(subject)
  await other.settle(subject)
  expect(await certificatesOf(subject)).toHaveLength(2)
  expect(await askedValue(subject)).toBe(value)
})

it('creates three accounts of a holder in three hours', async () => {
  const holder = newHolder()
  for (let count = 1; count <= 3; count++) {
    const { subject } = await chosen(holder)
    await world.prepare(subject, false)
    expect(await accountsOf(holder)).toHaveLength(count)
  }
  const subject = await world.elsewhere()
  await setHolder(world.database, subject.id, holder)
  await engine.settle(subject)
  await world.prepare(subject, true, method)
  expect(await look(subject)).toMatchObject({ certificate: 'blocked', blockedBy: 'budget' })
  expect(await accountsOf(holder)).toHaveLength(3)
  await look(subject, 3 * hour)
  expect(await accountsOf(holder)).toHaveLength(4)
})

it('ends a waiting record when DNS is switched: the certificate is issued by HTTP-01', async () => {
  const { holder, subject } = await chosen()
  subject.clear('docs')
  subject.put('docs', 'CNAME', `${platformHost}.`)
  await look(subject)
  await engine.settle(subject)
  expect((await world.get(subject.id)).state).toMatchObject({
    ...{ certificate: 'issued', preparation: 'switched', serving: 'https', failures: 0 },
  })
  const { account, client } = await sessionOf(holder)
  expect((await findAccount(client, account.privateKey)).status).toBe('valid')
})
