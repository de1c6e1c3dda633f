// The checks of an installation: those of the System page and of animal-store doctor, which are the same.

import { chmodSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { SystemChecks } from '#kit/system/schema.ts'
import { cases } from '../cases.ts'
import { engines, type TestDatabase } from '../database.ts'
import { login, startMailServer, trustMailServer } from '../domain-events/mail-server.ts'
import { startDomains } from '../domains/domains-in-test.ts'
import { freePort } from '../lab/free-addresses.ts'
import { connectTo } from '../nodes/postgres-client.ts'
import { emptyPlace, placeForTest } from '../place-for-test.ts'
import { query } from '../query.ts'
import { runCommand } from '../served-process.ts'
import { shared } from '../shared.ts'
import { startManaged } from '../store-management/store-in-test.ts'

type Finding = SystemChecks['findings'][number]

const inArea = ({ findings }: SystemChecks, area: Finding['area']): Finding[] =>
  findings.filter((finding) => finding.area === area)

/** The status of each subject of an area. */
const statusesOf = (checks: SystemChecks, area: Finding['area']): Record<string, string> =>
  Object.fromEntries(inArea(checks, area).map(({ status, subject }) => [subject, status]))

/** Each problem and warning says what to do; nothing else does. */
function expectFixes({ findings, status }: SystemChecks): void {
  for (const finding of findings) {
    const isUrgent = finding.status === 'problem' || finding.status === 'warning'
    expect(finding.fix !== null, JSON.stringify(finding)).toBe(isUrgent)
  }
  const statuses = findings.map((finding) => finding.status)
  const worst = statuses.includes('problem')
    ? 'problem'
    : statuses.includes('warning')
      ? 'warning'
      : 'ok'
  expect(status).toBe(worst)
}

const mail = shared(startMailServer)
shared(() => ({ stop: trustMailServer() }))

describe.each(cases(engines))('an installation on %s', (engine) => {
  const inLab = shared(() =>
    startDomains(engine, { env: { SMTP_URL: mail.url, DATABASE_TIMEOUT_MS: '1500' } }),
  )

  async function check(): Promise<SystemChecks> {
    const { json, status } = await inLab.operator.ask('/system/checks')
    expect(status).toBe(200)
    const checks = json as SystemChecks
    expectFixes(checks)
    return checks
  }

  it('is checked from inside and outside', async () => {
    const { platformHost } = inLab.store.running.config
    const checks = await check()
    expect(checks.findings.filter(({ status }) => status === 'problem')).toEqual([])
    expect(statusesOf(checks, 'database')).toEqual({
      ...{ production: 'ok', staging: 'ok', publishing: 'ok', limits: 'ok' },
      ...(engine === 'postgres' && { connections: expect.stringMatching(/^(ok|warning)$/) }),
    })
    expect(statusesOf(checks, 'dns')).toMatchObject({
      [platformHost]: 'ok',
      [`*.${platformHost}`]: 'ok',
    })
    expect(statusesOf(checks, 'outside')).toMatchObject({
      [platformHost]: 'ok',
      [`*.${platformHost}`]: 'ok',
    })
    expect(inArea(checks, 'ports')).toMatchObject([{ status: 'ok' }, {}])
    expect(inArea(checks, 'mail')).toMatchObject([{ status: 'ok' }])
    expect(mail.logins.at(-1)).toBe(`${login.user}:${login.password}`)
    expect(mail.attempts).toBe(0)
    expect(statusesOf(checks, 'backups')).toEqual({ BACKUP_DIR: 'warning' })
    expect(inArea(checks, 'time')).toMatchObject([{ subject: 'database', status: 'skipped' }])
  })

  it('takes no writes: a problem of that database alone', async () => {
    const release = await lockWrites(inLab.store.place)
    try {
      const [found] = inArea(await check(), 'database').filter(({ status }) => status === 'problem')
      expect(found).toMatchObject({ subject: 'staging', message: /takes no writes/ })
    } finally {
      await release()
    }
    expect(statusesOf(await check(), 'database')).toMatchObject({ staging: 'ok' })
  })

  it('is for operators only', async () => {
    const member = await inLab.member()
    expect((await member.ask('/system/checks')).status).toBe(403)
    expect((await inLab.anonymous('/system/checks')).status).toBe(401)
  })

  it('was migrated by a newer program', async () => {
    const later = "insert into migrations (id, name) values (999, 'later')"
    await query(inLab.store.place, 'staging', later)
    const [found] = inArea(await check(), 'database').filter(({ status }) => status === 'problem')
    expect(found).toMatchObject({ subject: 'staging', message: /version 999/ })
    await query(inLab.store.place, 'staging', 'delete from migrations where id = 999')
  })
})

it('says what to do about disks, mail, proxies and the certificate authority', async () => {
  const port = await freePort()
  const wrong = mail.url.replace(login.user, 'mouse')
  const store = await startManaged('sqlite', {
    env: {
      SMTP_URL: wrong,
      ACME_DIRECTORY: `https://127.0.0.1:${port}/directory`,
      MIN_FREE_DISK: '100000000',
      HTTPS_PORT: 'off',
      BASE_URL: 'http://api.store-checks.com/v1',
      DNS_SERVERS: `127.0.0.1:${port}`,
    },
  })
  onTestFinished(() => store.release())
  chmodSync(store.store.place.dataDir, 0o755)
  await store.operator.ask('/system', { headers: { 'x-forwarded-for': '192.0.2.1' } })
  const checks = (await store.operator.ask('/system/checks')).json as SystemChecks
  expectFixes(checks)
  const { dataDir } = store.store.place
  const found = checks.findings.filter(({ status }) => status !== 'ok' && status !== 'skipped')
  const of = (area: string) =>
    found.filter((one) => one.area === area).map(({ status, subject }) => [subject, status])
  expect(of('configuration')).toEqual([['BASE_URL', 'warning']])
  expect(of('disk')).toContainEqual([dataDir, 'problem'])
  expect(of('disk')).toContainEqual([dataDir, 'warning'])
  expect(of('mail')).toEqual([[`localhost:${mail.port}`, 'problem']])
  expect(of('proxies')).toEqual([['127.0.0.1', 'warning']])
  expect(of('authority')).toEqual([['127.0.0.1', 'problem']])
  expect(of('dns')).toContainEqual(['api.store-checks.com', 'problem'])
  // Neither user nor password of the mail server.
  expect(JSON.stringify(checks)).not.toMatch(/mouse|wisdom/)
})

describe('animal-store doctor', () => {
  const json = (text: string) => JSON.parse(text) as SystemChecks

  it.each(cases(engines))('creates nothing before the first start on %s', async (engine) => {
    const empty = await emptyPlace(engine)
    rmSync(empty.dataDir, { recursive: true })
    const { status, stderr, stdout } = await runCommand(empty, ['doctor', '--json'])
    const checks = json(stdout)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(existsSync(empty.dataDir)).toBe(false)
    expect(statusesOf(checks, 'database')).toMatchObject({
      ...{ production: 'skipped', staging: 'skipped', publishing: 'skipped', limits: 'skipped' },
    })
    expect(inArea(checks, 'ports')).toMatchObject([{ status: 'skipped' }])
    const unable = await runCommand(empty, ['doctor'], { BACKUP_DIR: '/proc/backups' })
    expect(unable.stdout).toMatch(/^problem +disk, \/proc\/backups: .* cannot be created/m)
    // On PostgreSQL the server's, which is there already.
    expect(statusesOf(checks, 'time')).toEqual(engine === 'postgres' ? { database: 'ok' } : {})
  })

  it('reports an invalid setting without its secret', async () => {
    const created = await placeForTest('sqlite')
    const env = { SECRET_KEY: 'too short to be a key' }
    const { status, stdout } = await runCommand(created, ['doctor'], env)
    expect(status).toBe(1)
    expect(stdout).toMatch(
      /^problem {2}configuration, settings: SECRET_KEY cannot be what it was given/,
    )
    expect(stdout).toMatch(/\n\n1 problem, 0 warnings\.\n$/)
    expect(stdout).not.toContain('too short')
  })

  it('checks a running server, and one that has stopped', async () => {
    const created = await placeForTest('sqlite')
    const { release, store } = await startManaged('sqlite', { place: created })
    const { httpPort, httpsPort } = store.running.config
    const env = { HTTP_PORT: `${httpPort}`, HTTPS_PORT: `${httpsPort}` }
    const running = await runCommand(created, ['doctor', '--json'], env)
    expect(inArea(json(running.stdout), 'ports')).toMatchObject([
      { subject: `HTTP_PORT ${httpPort}`, status: 'ok' },
      { subject: `HTTPS_PORT ${httpsPort}` },
    ])
    expect(running.status).toBe(0)
    await release()
    const stopped = await runCommand(created, ['doctor'], env)
    expect(stopped.stdout).toMatch(
      new RegExp(
        `^problem {2}ports, HTTP_PORT ${httpPort}: Nothing responds.*\\n {9}Start the server`,
        'm',
      ),
    )
    expect(stopped.status).toBe(1)
  })
})

/** Lets others read staging, but not write it, until the returned function is called. */
async function lockWrites(place: TestDatabase): Promise<() => unknown> {
  if (place.databaseUrl === undefined) {
    const file = new DatabaseSync(join(place.dataDir, 'staging.db'), { timeout: 10_000 })
    file.exec('begin immediate')
    return () => file.close()
  }
  const client = await connectTo(place)
  await client.query('begin; lock table staging.migrations in exclusive mode')
  return () => client.query('rollback')
}
