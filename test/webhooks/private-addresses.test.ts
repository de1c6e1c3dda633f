// Webhooks are sent only to public addresses, checked at creation and again at each delivery, with the addresses that
// the name has at that time.
import { describe, expect, it } from 'vitest'
import { judgeAddresses } from '#kit/network/addresses.ts'
import { checkDestination, findUrlProblem } from '#kit/network/http-client.ts'
import { anyEngine } from '../database.ts'
import { startReceiver } from './receiver.ts'
import { startShop } from './shop-with-webhooks.ts'

const never = new AbortController().signal

function check(url: string, addresses: string[] = [], allow: string[] = []) {
  const destinations = { judge: judgeAddresses(allow), resolve: async () => addresses }
  return checkDestination(new URL(url), destinations, never)
}

describe('a destination', () => {
  it.each([
    'ftp://example.com/',
    'file:///etc/passwd',
    'https://user@example.com/',
    'https://:secret@example.com/',
    'https://example.com/#part',
    'example.com',
    '',
    `https://example.com/${'x'.repeat(2048)}`,
  ])('%j is not a valid URL for a webhook', (url) => {
    expect(findUrlProblem(url)).toBeDefined()
  })

  it.each([
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0177.0.0.1/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://169.254.169.254/latest/meta-data/',
    'https://10.0.0.1/',
    'https://0.0.0.0/',
    'http://1.1.1.1/',
    'https://1.1.1.1:22/',
    'https://1.1.1.1:80/',
    'https://1.1.1.1:6667/',
  ])('%s is refused', async (url) => {
    expect(findUrlProblem(url)).toBeUndefined()
    expect(await check(url)).toHaveProperty('refused')
  })

  it.each(['https://1.1.1.1/', 'https://1.1.1.1:8443/x?y=z', 'https://[2606:4700:4700::1111]/'])(
    '%s is accepted',
    async (url) => expect(await check(url)).toHaveProperty('addresses'),
  )

  it('requires all addresses of its name to be public', async () => {
    const url = 'https://hook.example/'
    expect(await check(url, ['1.1.1.1', '8.8.8.8'])).toEqual({ addresses: ['1.1.1.1', '8.8.8.8'] })
    expect(await check(url, ['1.1.1.1', '10.0.0.1'])).toHaveProperty('refused')
    expect(await check(url, ['1.1.1.1', '::1'])).toHaveProperty('refused')
    expect(await check(url, [])).toEqual({ refused: 'hook.example has no address' })
  })

  it('in the list of allowed ones may use HTTP on any port; a partial name does not match', async () => {
    const url = 'http://hook.example:25/'
    expect(await check(url, ['10.0.0.1'], ['10.0.0.0/8'])).toHaveProperty('addresses')
    expect(await check(url, ['10.0.0.1', '1.1.1.1'], ['10.0.0.0/8'])).toHaveProperty('refused')
  })
})

describe.each(anyEngine)('on %s', (engine) => {
  it('a name that points to this machine is refused at delivery', async () => {
    const resolve = async (): Promise<string[]> => ['127.0.0.1']
    const shop = await startShop(engine, { env: { WEBHOOK_ALLOW: '' }, outgoing: { resolve } })
    const receiver = await startReceiver()
    const { port } = new URL(receiver.url)
    for (const url of [
      `https://hook.example:${port}/`,
      `http://hook.example:${port}/`,
      receiver.url,
    ]) {
      const { webhook } = await shop.hook({ url })
      await shop.pet()
      await shop.logged(webhook.id, 1)
      const [delivery] = await shop.deliveries(webhook.id)
      expect(delivery?.attempts[0]?.error).toMatch(/^refused: .* is not a public address$/)
    }
    expect(receiver.received).toEqual([])
  })

  it('connects to the checked address and resolves the name once', async () => {
    // DNS rebinding: the first answer is public, all later ones are private.
    const answers = [['127.0.0.1'], ['127.0.0.2'], ['127.0.0.2']]
    let asked = 0
    const resolve = async (): Promise<string[]> => answers[asked++] ?? []
    const shop = await startShop(engine, { outgoing: { resolve } })
    const receiver = await startReceiver()
    const { port } = new URL(receiver.url)
    const { webhook } = await shop.hook({ url: `http://rebinds.example:${port}/` })
    await shop.pet()
    await receiver.took(1)
    await shop.logged(webhook.id, 1)
    expect(asked).toBe(1)
    expect(receiver.received[0]?.headers.host).toBe(`rebinds.example:${port}`)
  })
})
