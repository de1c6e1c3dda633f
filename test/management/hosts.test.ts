// Where the dashboard and its API answer, and what strangers leave in the log.
import { expect, it } from 'vitest'
import { startAccounts } from '../accounts/accounts-in-test.ts'
import { askRaw, requestText } from '../raw-connection.ts'
import { storeForTest } from '../store-for-test.ts'

it('answers at the dashboard host and at loopback addresses, not at others', async () => {
  const { httpPort } = (await storeForTest('sqlite')).running.config
  const ask = async (host: string, path: string): Promise<number> =>
    (await askRaw(httpPort, requestText('GET', path, { Host: `${host}:${httpPort}` }))).status
  for (const host of ['localhost', '127.0.0.1', '127.0.0.9', '[::1]']) {
    expect([host, await ask(host, '/api/session')]).toEqual([host, 401])
    expect([host, await ask(host, '/api')]).toEqual([host, 404])
    expect([host, await ask(host, '/sign-in')]).toEqual([host, 200])
  }
  const addresses = ['203.0.113.9', '10.0.0.1', '[2001:db8::1]']
  const names = ['staging.localhost', 'animal-store.docs.localhost', 'x.example']
  for (const host of [...addresses, ...names]) {
    expect([host, await ask(host, '/api/session')]).toEqual([host, 404])
    expect([host, await ask(host, '/sign-in')]).toEqual([host, 404])
  }
  // Load balancers check health by address.
  expect(await ask('203.0.113.9', '/healthz')).toBe(200)
})

it('logs a 404 without an account at the level debug only', async () => {
  const accounts = await startAccounts('sqlite')
  const operator = await accounts.operator()
  const levels = (id: string): number[] =>
    accounts
      .log()
      .split('\n')
      .filter((line) => line.includes(`"${id}"`))
      .map((line) => JSON.parse(line).level)
  for (const method of ['GET', 'POST']) {
    await accounts.bare('/wp-login.php', { method, headers: { 'x-request-id': `by-${method}` } })
    expect(levels(`by-${method}`)).toEqual([20])
  }
  const headers = { 'x-request-id': 'own' }
  await operator.ask('/account/sessions/none', { method: 'DELETE', headers })
  expect(levels('own')).toEqual([30])
})
