// The authority refuses the account of this installation. Operators are told in a mail and by the checks of the installation,
// with what to do; owners are told that it is not theirs to solve.
import { describe, expect, it, onTestFinished } from 'vitest'
import { post } from '#acme/requests/acme-client.ts'
import { authoritiesOf } from '#domains/certificates/open-certificates.ts'
import { openDatabase } from '#kit/database/engines/open.ts'
import type { AuditEntry } from '#kit/management/audit-routes.ts'
import type { SystemChecks } from '#kit/system/schema.ts'
import { type FaultProxy, faultAt } from '../acme/fault-proxy.ts'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { startMailServer, trustMailServer } from '../domain-events/mail-server.ts'
import { type Owner, startDomains, target } from '../domains/domains-in-test.ts'
import { eventually } from '../eventually.ts'
import { query } from '../query.ts'
import { runCommand } from '../served-process.ts'
import { shared } from '../shared.ts'

const minute = 60_000
const mail = shared(startMailServer)
shared(() => ({ stop: trustMailServer() }))

describe.each(cases(engines))('an account that the authority refuses on %s', (engine) => {
  const inTest = shared(async () => {
    const world = await startDomains(engine, { hasAuthority: true, env: { SMTP_URL: mail.url } })
    const { ask } = world.operator
    await ask('/account/email-confirmation', { method: 'POST' })
    const token = mail.received.at(-1)?.text.match(/#(\S+)/)?.[1] ?? ''
    expect((await world.anonymous('/email-confirmation', { body: { token } })).status).toBe(204)
    return world
  })
  const faults = () => inTest.faults as FaultProxy
  const orders = () => faults().asked.filter((line) => line.startsWith('POST /order-plz')).length
  const mails = () =>
    mail.received.filter(({ headers }) => headers.subject?.includes('until you act'))
  const command = (...words: string[]) => runCommand(inTest.store.place, words, inTest.env)

  /** A host that points to us, after the first attempt. */
  async function addHost(owner: Owner) {
    const { host, zone } = await owner.addNew()
    zone.put('docs', 'CNAME', target)
    await owner.verify(host)
    return await owner.until(host, ({ badge, certificate: { blockedBy, failures } }) => {
      return badge === 'active' || failures > 0 || blockedBy !== null
    })
  }

  /** What the checks of the installation say of the authority. */
  async function checkAuthority() {
    const { findings } = await inTest.operator.read<SystemChecks>('/system/checks')
    return findings.find(({ area }) => area === 'authority')
  }

  /** The only diagnostic of the next check. */
  async function diagnosticOf(owner: Owner, host: string) {
    const { check } = await owner.verify(host)
    expect(check?.diagnostics.map(({ code }) => code)).toEqual(['T10'])
    return check?.diagnostics[0]?.fix?.text
  }

  /** Until the next mail. */
  const nextMail = async (seen: number) =>
    (
      await eventually(
        async () => mails(),
        ({ length }) => length > seen,
      )
    ).at(-1)?.text

  it('is replaced by a command; until then no order is placed', async () => {
    const owner = await inTest.owner()
    expect((await addHost(owner)).badge).toBe('active')
    expect(await checkAuthority()).toMatchObject({
      message: /it accepts the account/,
      status: 'ok',
    })
    expect(await command('certificates', 'account')).toMatchObject({ status: 0 })
    const { config } = inTest.store.running
    const database = openDatabase(inTest.store.place, 'publishing', { onError: () => {} })
    const authorities = authoritiesOf(config, { clock: Date.now, database })
    onTestFinished(async () => {
      authorities.stop()
      await database.close()
    })
    const directory = faults().directoryUrl
    const account = await authorities.accountAt(directory)
    const payload = { status: 'deactivated' }
    const session = { client: authorities.clientOf(directory), account }
    await post(session, { operation: 'get account', url: account.url, payload })
    const seen = mails().length

    const { certificate, host } = await addHost(owner)
    const failed = (await owner.events(host)).find(({ type }) => type === 'failed')
    expect(failed?.detail.reason).toContain('only the operator of this server')
    expect(certificate.problem).toMatchObject({ type: 'unauthorized' })
    const before = orders()
    const other = await addHost(owner)
    expect(other.certificate).toMatchObject({ state: 'blocked', blockedBy: 'T10' })
    inTest.pass(2 * minute)
    const fix = await diagnosticOf(owner, other.host)
    expect(fix).toMatch(/^You don't need to do anything: the operator of this server has to run/)
    // Neither does Verify, for a host that has failed.
    await owner.verify(host)
    await owner.until(host, (domain) => domain.certificate.state === 'blocked')
    expect(orders()).toBe(before)
    expect(await nextMail(seen)).toMatch(/Please run animal-store certificates account/)
    expect(await checkAuthority()).toMatchObject({
      ...{ status: 'problem', fix: expect.stringContaining('certificates account --replace') },
      message: expect.stringContaining('refuses the account'),
    })

    expect(await command('certificates', 'account')).toMatchObject({
      ...{ status: 1, stdout: expect.stringContaining('--replace') },
    })
    const replaced = await command('certificates', 'account', '--replace')
    expect(replaced).toMatchObject({ status: 0, stdout: /has a new account/ })
    for (const each of [host, other.host]) {
      inTest.pass(6 * minute)
      await owner.until(each, ({ badge }) => badge === 'active')
    }
    expect(mails()).toHaveLength(seen + 1)
    expect(await checkAuthority()).toMatchObject({ status: 'ok' })
    const { items } = await inTest.operator.read<{ items: AuditEntry[] }>('/audit-log?limit=100')
    expect(items.filter(({ action }) => action === 'domain.account_replaced')).toMatchObject([
      { actor: { name: 'command line' } },
    ])
    // It is accepted: nothing to replace.
    const again = await command('certificates', 'account', '--replace', '--json')
    expect(JSON.parse(again.stdout)).toEqual({ accounts: [{ directory, state: 'accepted' }] })
    const stored = await query(inTest.store.place, 'publishing', 'select url from acme_accounts')
    expect(stored).not.toEqual([{ url: account.url }])
  })

  const page = 'https://authority.example/agree'
  it.each([
    ['whose terms have changed', 'userActionRequired', 403, page, 'and agree to the terms there'],
    ['that is paused for a host', 'rateLimited', 429, `${page}/unpause`, 'end the pause there'],
  ])('%s: the operator opens the page', async (_, type, status, instance, task) => {
    const owner = await inTest.owner()
    const seen = mails().length
    const detail = 'You are temporarily prevented from requesting certificates'
    const link = '<https://authority.example/terms-7>;rel="terms-of-service"'
    const fault = { kind: 'problem', type, status, detail, instance, link } as const
    faults().faultFor = faultAt('order-plz', fault)
    onTestFinished(() => {
      faults().faultFor = () => undefined
    })
    const { host } = await addHost(owner)
    expect(await diagnosticOf(owner, host)).toContain(
      `operator of this server has to open ${instance}`,
    )
    const text = await nextMail(seen)
    expect(text).toContain(instance)
    expect(text).toContain('https://authority.example/terms-7')
    expect(await checkAuthority()).toMatchObject({
      status: 'problem',
      // For the first host that was refused: one of ours, maybe.
      message: expect.stringContaining(`answered ${type}`),
      fix: expect.stringContaining(task.slice(1)),
    })
    // The same for another host is no news.
    await addHost(owner)
    faults().faultFor = () => undefined
    inTest.pass(24 * 60 * minute)
    await owner.until(host, ({ badge }) => badge === 'active')
    // That of a pause ends with the order of the host that was refused last.
    await eventually(checkAuthority, (found) => found?.status === 'ok')
    expect(mails()).toHaveLength(seen + 1)
  })
})
