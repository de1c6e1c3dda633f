// The configured name servers resolve the names of webhooks.
import { randomInt } from 'node:crypto'
import { expect, it } from 'vitest'
import { startTestServer } from '../dns/test-server.ts'
import { startReceiver } from './receiver.ts'
import { startShop } from './shop-with-webhooks.ts'

it('sends webhooks to the address that the server in DNS_SERVERS gives', async () => {
  const resolver = await startTestServer(`127.8.${randomInt(1, 250)}.1`, ({ name, type }) => ({
    answers:
      name === 'hooks.example' && type === 'A'
        ? [{ name, type: 'A', ttl: 60, data: '127.0.0.1' }]
        : [],
  }))
  const { address, port } = resolver
  const shop = await startShop('sqlite', { env: { DNS_SERVERS: `${address}:${port}` } })
  const receiver = await startReceiver()
  const url = receiver.url.replace('127.0.0.1', 'hooks.example')
  await shop.hook({ url })
  await shop.pet()
  shop.pass(0)
  expect(await receiver.took(1)).toMatchObject([{ type: 'pet.created' }])
  expect(resolver.queries.map(({ name }) => name)).toContain('hooks.example')
})
