// An encryption key that is lost: it is named, and what can be issued again is.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { openSecrets } from '#kit/secrets.ts'
import { cases } from './cases.ts'
import { createTestDatabase, engines } from './database.ts'
import { eventually } from './eventually.ts'
import { query } from './query.ts'
import { runCommand, serveProcess } from './served-process.ts'

test('the key is created at the first start, so that doctor can check the ports', async () => {
  const place = await createTestDatabase('sqlite')
  onTestFinished(() => place.release())
  const served = await serveProcess(place, { HTTPS_PORT: 'off' })
  onTestFinished(async () => void (await served.end('SIGKILL')))
  const env = { HTTPS_PORT: 'off', HTTP_PORT: `${served.port}` }
  const { stdout } = await runCommand(place, ['doctor'], env)
  expect(stdout).toMatch(/^ok +ports, HTTP_PORT/m)
})

test.each(cases(engines))('a lost encryption key on %s', async (engine) => {
  const place = await createTestDatabase(engine)
  onTestFinished(() => place.release())
  const certified = async (port: number): Promise<boolean> => {
    const options = { host: '127.0.0.1', port, servername: 'localhost', rejectUnauthorized: false }
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const socket = connect(options, () => resolve(true)).on('error', () => resolve(false))
    return await promise.finally(() => socket.destroy())
  }
  const first = await serveProcess(place)
  onTestFinished(async () => void (await first.end('SIGKILL')))
  await eventually(() => certified(first.httpsPort), Boolean)
  expect(first.log()).not.toContain('encryption_key.missing')
  const keyId = openSecrets({ dataDir: place.dataDir, secretKeys: [] }).keyId()
  await query(
    place,
    'publishing',
    `insert into acme_accounts values ('https://acme.test/', 'url', 'v1.${keyId}.AAAA', 1)`,
  )
  await first.end()
  rmSync(join(place.dataDir, 'secret.key'))

  const doctor = await runCommand(place, ['doctor'])
  expect(doctor.stdout).toMatch(
    new RegExp(
      `^problem +configuration, SECRET_KEY: The encryption key ${keyId} of \\d+ stored`,
      'm',
    ),
  )
  expect(doctor.status).toBe(1)
  const root = await runCommand(place, ['certificates', 'root'])
  expect(root.stderr).toContain('certificates root --replace')
  expect((await runCommand(place, ['certificates', 'root', '--replace'])).status).toBe(0)

  const second = await serveProcess(place)
  onTestFinished(async () => void (await second.end('SIGKILL')))
  const lines = second.log().match(/encryption_key\.missing/g)
  expect(lines).toHaveLength(1)
  expect(second.log()).toContain(keyId)
  await eventually(() => certified(second.httpsPort), Boolean)
  expect(await query(place, 'publishing', 'select url from acme_accounts')).toEqual([])
  expect((await runCommand(place, ['doctor'])).stdout).not.toContain('SECRET_KEY')
})
