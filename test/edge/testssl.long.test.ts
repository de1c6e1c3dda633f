// testssl.sh against the HTTPS port of the program: protocols and ciphers; everything with TLS_SCAN=full, which takes
// some minutes. A finding above "low" fails the test.
// In npm test: test/edge/handshakes.test.ts.
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { certifiedPort } from '../certified-port.ts'
import { createTestDatabase } from '../database.ts'
import { runCommand, serveProcess } from '../served-process.ts'

interface Finding {
  id: string
  severity: string
  finding: string
}

const isFull = process.env.TLS_SCAN === 'full'
const accepted = ['OK', 'INFO', 'LOW', 'WARN', 'DEBUG']
/** Of the internal authority alone: nobody could publish a list of revoked certificates. */
const ofInternalAuthority = ['cert_revocation', 'cert_crlDistributionPoints', 'cert_ocspURL']

test('testssl.sh has no finding above "low"', { timeout: 900_000 }, async () => {
  const place = await createTestDatabase('sqlite')
  onTestFinished(() => place.release())
  const served = await serveProcess(place)
  onTestFinished(async () => void (await served.end('SIGKILL')))
  const port = await certifiedPort(served.httpsPort, ['localhost'])
  const { stdout: root } = await runCommand(place, ['certificates', 'root'])
  const [rootFile, report] = [join(place.dataDir, 'root.pem'), join(place.dataDir, 'report.json')]
  await writeFile(rootFile, root)
  const options = ['--quiet', '--warnings', 'off', '--color', '0', '--nodns', 'min']
  const target = ['--ip', '127.0.0.1', '--add-ca', rootFile, '--jsonfile', report]
  const parts = isFull ? [] : ['--protocols', '--std']
  const command = [...options, ...target, ...parts, `localhost:${port}`]
  // Its exit status is the number of findings of any severity.
  const { stdout } = await promisify(execFile)('/usr/bin/testssl', command, {
    env: { PATH: process.env.PATH, HOME: place.dataDir, TERM: 'dumb' },
    maxBuffer: 16 * 1024 ** 2,
  }).catch((error) => error)
  const findings: Finding[] = JSON.parse(await readFile(report, 'utf8').catch(() => '[]'))
  const text = (id: string) => findings.find((each) => each.id === id)?.finding
  expect([text('TLS1_2'), text('TLS1_3')], stdout).toEqual([
    'offered',
    expect.stringContaining('offered with final'),
  ])
  expect(text('TLS1_1')).toBe('not offered')
  const wrong = findings.filter(
    ({ id, severity }) =>
      !accepted.includes(severity) && !ofInternalAuthority.some((known) => id.startsWith(known)),
  )
  expect(wrong).toEqual([])
})
