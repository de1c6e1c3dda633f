// secret rotate while the program runs: everything is encrypted again, the running program follows without a restart,
// and a rotation that is interrupted anywhere can be resumed.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openSecrets } from '#kit/secrets.ts'
import { cases, isLong } from './cases.ts'
import { type Engine, engines, type TestDatabase } from './database.ts'
import { eventually } from './eventually.ts'
import { serveForTest } from './faults/processes.ts'
import { killAt } from './kill-at.ts'
import { placeForTest } from './place-for-test.ts'
import { type Person, password, peopleAt } from './publishing/publishing-in-test.ts'
import { query, queryEach } from './query.ts'
import { runCommand } from './served-process.ts'

const schemas = ['production', 'staging', 'publishing']
/** Nothing listens there: only whether a message could be signed is tested. */
const url = 'http://127.0.0.1:9/hook'
const settings = {
  // A rotation waits for it.
  DATABASE_TIMEOUT_MS: '2000',
  WEBHOOK_ALLOW: '127.0.0.0/8',
  PROJECT_WEBHOOK_ALLOW: '127.0.0.0/8',
}

/** The ids of the keys in every column of every table: also in one that the rotation does not know. */
async function storedKeyIds(place: TestDatabase): Promise<{ ids: string[]; columns: string[] }> {
  const ids = new Set<string>()
  const columns = new Set<string>()
  for (const schema of schemas) {
    const names = place.databaseUrl
      ? `select tablename as name from pg_tables where schemaname = '${schema}'`
      : "select name from sqlite_schema where type = 'table' and name not like 'sqlite%'"
    const tables = (await query(place, schema, names)).map(({ name }) => String(name))
    const contents = tables.map((name) => `select * from ${name}`)
    for (const [i, rows] of (await queryEach(place, schema, contents)).entries()) {
      for (const [column, value] of rows.flatMap(Object.entries)) {
        const id = typeof value === 'string' && /^v1\.([0-9a-f]{16})\./.exec(value)?.[1]
        if (!id) continue
        ids.add(id)
        columns.add(`${tables[i]}.${column}`)
      }
    }
  }
  return { ids: [...ids], columns: [...columns].sort() }
}

async function serveWithSecrets(engine: Engine, env: Record<string, string> = {}) {
  const place = await placeForTest(engine)
  const served = await serveForTest(place, { ...settings, ...env })
  const { operator } = await peopleAt(served.port, served.setUpToken)
  await operator.create('docs')
  await setWebhook(operator)
  const setUp = { method: 'POST', body: { currentPassword: password } }
  expect(await operator.ask('/account/second-factor/set-up', setUp)).toMatchObject({ status: 201 })
  for (const environment of ['production', 'staging']) {
    const path = `/store/${environment}/webhooks`
    const { json } = await operator.ask(path, { body: { url } })
    const { id } = json as { id: string }
    const rotated = await operator.ask(`${path}/${id}/rotate`, { body: {} })
    expect(rotated).toMatchObject({ status: 201 })
  }
  const key = { ...settings, ...env, DOMAIN_CONNECT_TEMPLATE: 'example.com' }
  expect((await runCommand(place, ['connect', 'key'], key)).status).toBe(0)
  // The internal authority issues certificates for the program's own hosts.
  await eventually(
    () => query(place, 'publishing', 'select id from certificates'),
    (rows) => rows.length > 1,
  )
  await insertKeysOfAnAuthority(place, env)
  return { place, served, operator }
}

/** An account and an open order, which the internal authority does not have. */
async function insertKeysOfAnAuthority(place: TestDatabase, env: Record<string, string>) {
  const secretKeys = env.SECRET_KEY ? [Buffer.from(env.SECRET_KEY, 'base64')] : []
  const { encrypt } = openSecrets({ dataDir: place.dataDir, secretKeys })
  const account = encrypt(Buffer.from('account'), 'acme account https://acme.test/')
  const order = encrypt(Buffer.from('order'), 'key of order dom_1')
  await queryEach(place, 'publishing', [
    `insert into acme_accounts values ('https://acme.test/', '', '${account}', 1)`,
    `insert into certificate_orders (domain_id, host, registered_domain, directory, step, token,
       key_authorization, private_key, begun_at)
     values ('dom_1', 'a.test', 'a.test', 'https://acme.test/', 'new', 't', 't', '${order}', 1)`,
  ])
}

async function setWebhook(operator: Person): Promise<void> {
  const path = '/projects/docs/domain-webhook'
  expect(await operator.ask(path, { method: 'PUT', body: { url } })).toMatchObject({ status: 200 })
}

/** The program encrypts and decrypts: it stores a webhook's secret and signs a message with it. */
async function expectSigns(operator: Person): Promise<void> {
  const path = '/projects/docs/domain-webhook/test'
  expect(await operator.ask(path, { method: 'POST' })).toMatchObject({ status: 200 })
  await setWebhook(operator)
  expect(await operator.ask(path, { method: 'POST' })).toMatchObject({ status: 200 })
}

const keyFile = (place: TestDatabase): string[] =>
  readFileSync(join(place.dataDir, 'secret.key'), 'utf8').trim().split('\n')

/** The data folder has only the key file and what was there before. */
function expectOneKey(place: TestDatabase): void {
  expect(keyFile(place)).toHaveLength(1)
  const files = readdirSync(place.dataDir).filter((name) => name.startsWith('secret.key'))
  expect(files).toEqual(['secret.key'])
}

const encrypted = [
  'acme_accounts.private_key',
  'certificate_orders.private_key',
  'certificates.private_key',
  'connect_keys.private_key',
  'domain_webhooks.secret',
  'internal_roots.private_key',
  'one_time_codes.secret',
  'webhooks.previous_secret',
  'webhooks.secret',
]

describe.each(cases(engines))('on %s', (engine) => {
  test('a new key file replaces the old one under a running program', async () => {
    const { operator, place, served } = await serveWithSecrets(engine)
    const before = await storedKeyIds(place)
    expect(before.ids).toHaveLength(1)
    expect(before.columns).toEqual(encrypted)
    const [oldKey] = keyFile(place)

    const first = await runCommand(place, ['secret', 'rotate', '--json'], settings)
    expect(first).toMatchObject({ status: 0, stderr: '' })
    const { keyId, reEncrypted } = JSON.parse(first.stdout)
    expect(reEncrypted).toBeGreaterThan(9)
    expect(await storedKeyIds(place)).toEqual({ ids: [keyId], columns: encrypted })
    expectOneKey(place)
    expect(keyFile(place)).not.toEqual([oldKey])
    await expectSigns(operator)
    expect(await storedKeyIds(place)).toEqual({ ids: [keyId], columns: encrypted })

    // Everything can still be decrypted: the next rotation does.
    const second = await runCommand(place, ['secret', 'rotate', '--json'], settings)
    expect(JSON.parse(second.stdout)).toEqual({ keyId: expect.any(String), reEncrypted })
    expect((await storedKeyIds(place)).ids).toEqual([JSON.parse(second.stdout).keyId])
    await expectSigns(operator)
    // A poll that a busy machine delays is repeated, with a warning.
    expect(served.log()).not.toMatch(/"level":"error"|SecretError/)
  })

  if (isLong)
    test('a new SECRET_KEY before the old one replaces it', async () => {
      const key = (byte: number) => Buffer.alloc(32, byte).toString('base64')
      const { operator, place } = await serveWithSecrets(engine, { SECRET_KEY: key(1) })
      const [oldId] = (await storedKeyIds(place)).ids
      const rotate = (secretKey: string) =>
        runCommand(place, ['secret', 'rotate', '--json'], { ...settings, SECRET_KEY: secretKey })
      const refused = await rotate(key(2))
      expect(refused.status).toBe(1)
      expect(refused.stderr).toMatch(
        new RegExp(`^animal-store: the key ${oldId}, which encrypts \\d+ of .* set SECRET_KEY`),
      )
      expect((await storedKeyIds(place)).ids).toEqual([oldId])

      // A node that has both keys and encrypts with the old one runs on.
      await expectSigns(operator)
      const { status, stdout } = await rotate(`${key(2)},${key(1)}`)
      expect(status).toBe(0)
      const { keyId } = JSON.parse(stdout)
      expect(await storedKeyIds(place)).toEqual({ ids: [keyId], columns: encrypted })
      const again = await rotate(key(2))
      expect(JSON.parse(again.stdout)).toEqual({ keyId, reEncrypted: 0 })
      expect(readdirSync(place.dataDir)).not.toContain('secret.key')
    })
})

test('a rotation that is killed at any step is resumed, and the program runs on', async () => {
  const { operator, place } = await serveWithSecrets('sqlite')
  // While the key file has both keys.
  const isCommitOfChange = `(sql) => sql === 'commit' &&
    fs.readFileSync(${JSON.stringify(join(place.dataDir, 'secret.key'))}, 'utf8').trim().includes('\\n')`
  const points = cases(
    [
      'linkSync after 1',
      'renameSync before 1',
      'renameSync after 1',
      'statement before 2',
      'statement after 2',
      'renameSync before 2',
      'renameSync after 2',
    ],
    (point) => point === 'statement after 2',
  )
  for (const point of points) {
    const before = keyFile(place)
    const killed = await runCommand(place, ['secret', 'rotate'], {
      ...settings,
      ...killAt(point, point.startsWith('statement') ? { counts: isCommitOfChange } : {}),
    })
    expect(killed.status, point).toBe(null)
    await expectSigns(operator)
    const { status, stdout } = await runCommand(place, ['secret', 'rotate', '--json'], settings)
    expect(status, point).toBe(0)
    expect(await storedKeyIds(place), point).toEqual({
      ids: [JSON.parse(stdout).keyId],
      columns: encrypted,
    })
    expectOneKey(place)
    expect(keyFile(place), point).not.toEqual(before.slice(0, 1))
    await expectSigns(operator)
  }
})

test('every place that encrypts has its column in the rotation', () => {
  const root = join(import.meta.dirname, '../server')
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.ts') && !path.endsWith('.test.ts'),
  )
  const places = files.flatMap((path) =>
    [...readFileSync(join(root, path), 'utf8').matchAll(/secrets\.encrypt\(/g)].map(() => path),
  )
  // A new one needs a column in known-databases.ts, and a row in `serveWithSecrets` above.
  expect(places.sort()).toEqual([
    'accounts/sign-in/second-factor.ts',
    'domains/certificates/authorities/authorities.ts',
    'domains/certificates/authorities/internal-authority.ts',
    'domains/certificates/issuance/prepare-order.ts',
    'domains/certificates/issuance/process-certificate.ts',
    'kit/database/re-encrypt.ts',
    'optional/domain-connect/links/signing-keys.ts',
    'optional/domain-webhooks/open.ts',
    // A cookie that is valid for ten minutes: nothing is stored.
    'optional/oidc/provider-flow.ts',
    'optional/webhooks/webhooks.ts',
    'optional/webhooks/webhooks.ts',
  ])
})
