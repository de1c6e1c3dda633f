// An encryption key that is lost: it is named, and what can be issued again is.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openSecrets } from '#kit/secrets.ts'
import { cases } from './cases.ts'
import { certifiedPort } from './certified-port.ts'
import { engines } from './database.ts'
import { serveForTest } from './faults/processes.ts'
import { placeForTest } from './place-for-test.ts'
import { query } from './query.ts'
import { runCommand } from './served-process.ts'

test('the key is created at the first start, so that doctor can check the ports', async () => {
  const place = await placeForTest('sqlite')
  const served = await serveForTest(place, { HTTPS_PORT: 'off' })
  const env = { HTTPS_PORT: 'off', HTTP_PORT: `${served.port}` }
  const { stdout } = await runCommand(place, ['doctor'], env)
  expect(stdout).toMatch(/^ok +ports, HTTP_PORT/m)
})

test.each(cases(engines))('a lost encryption key on %s', async (engine) => {
  const place = await placeForTest(engine)
  const first = await serveForTest(place)
  await certifiedPort(first.httpsPort, ['localhost'])
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

  const second = await serveForTest(place)
  const lines = second.log().match(/encryption_key\.missing/g)
  expect(lines).toHaveLength(1)
  expect(second.log()).toContain(keyId)
  await certifiedPort(second.httpsPort, ['localhost'])
  expect(await query(place, 'publishing', 'select url from acme_accounts')).toEqual([])
  // Those of the usual ports may be of another program.
  const ports = { HTTP_PORT: `${second.port}`, HTTPS_PORT: `${second.httpsPort}` }
  expect((await runCommand(place, ['doctor'], ports)).stdout).not.toContain('SECRET_KEY')
})
