// certificates root: prints the root that makes clients trust the internally issued certificates.
import { expect, it, onTestFinished } from 'vitest'
import { ask } from '../edge/clients.ts'
import { eventually } from '../eventually.ts'
import { placeForTest } from '../place-for-test.ts'
import { runCommand, serveProcess } from '../served-process.ts'

it("prints the root that the dashboard's HTTPS certificate is verified by", {
  timeout: 120_000,
}, async () => {
  const place = await placeForTest('sqlite')
  const { status, stdout } = await runCommand(place, ['certificates', 'root'])
  expect(status).toBe(0)
  expect(stdout).toMatch(/^-----BEGIN CERTIFICATE-----\n[\s\S]+\n-----END CERTIFICATE-----\n$/)
  const served = await serveProcess(place)
  onTestFinished(async () => void (await served.end()))
  // Its certificate is issued shortly after the start.
  const response = await eventually(
    () => ask(served.httpsPort, 'localhost', stdout, '/healthz').catch(() => undefined),
    (seen) => seen !== undefined,
  )
  expect(response?.status).toBe(200)
  expect((await runCommand(place, ['certificates', 'root'])).stdout).toBe(stdout)
})

it('prints nothing where a public authority issues', async () => {
  const place = await placeForTest('sqlite')
  const env = { ACME_DIRECTORY: 'https://authority.example/directory' }
  const { status, stderr, stdout } = await runCommand(place, ['certificates', 'root'], env)
  expect([status, stdout]).toEqual([1, ''])
  expect(stderr).toContain('certificates are issued by https://authority.example/directory')
})
