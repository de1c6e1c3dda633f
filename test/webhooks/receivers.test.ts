// Faulty receivers: none of them blocks the program, and none redirects it.
import type { ServerResponse } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { testWebhook } from '#optional/webhooks/webhooks.ts'
import { anyEngine } from '../database.ts'
import { makeCertificate } from '../edge/certificates.ts'
import { listenOnFreePort } from '../listen.ts'
import { accept, answerWith, type Reply, startReceiver } from './receiver.ts'
import { startShop, type WebhookShop } from './shop-with-webhooks.ts'

const answerWithinMs = 300

async function firstAttempt(shop: WebhookShop, url: string) {
  const { webhook } = await shop.hook({ url })
  await shop.pet()
  await shop.logged(webhook.id, 1)
  const [delivery] = await shop.deliveries(webhook.id)
  return { state: delivery?.state, ...delivery?.attempts[0] }
}

const endless: Reply = (response) => {
  response.writeHead(200)
  const more = (): void => {
    while (!response.destroyed && response.write('x'.repeat(64 * 1024))) {}
    if (!response.destroyed) response.once('drain', more)
  }
  more()
}

describe.each(anyEngine)('a receiver on %s', (engine) => {
  it('that fails in any way is retried, and one that stops or goes on in its response has the event', async () => {
    const shop = await startShop(engine, { outgoing: { answerWithinMs } })
    const silent = await startReceiver(() => {})
    const attempt = await firstAttempt(shop, silent.url)
    expect(attempt).toMatchObject({ state: 'waiting', error: 'no answer in time' })
    expect(attempt.durationMs).toBeGreaterThanOrEqual(answerWithinMs - 5)
    await expect.poll(() => silent.open.now).toBe(0)
    for (const [words, error] of [
      ['', 'no answer in time'],
      ['SSH-2.0-OpenSSH\r\n', 'HPE_INVALID_CONSTANT'],
      [`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(20_000)}`, 'HPE_HEADER_OVERFLOW'],
    ] as const) {
      const server = createTcpServer((socket) => socket.on('error', () => {}).write(words))
      onTestFinished(() => void server.close())
      const port = await listenOnFreePort(server)
      const invalid = await firstAttempt(shop, `http://127.0.0.1:${port}/`)
      expect(invalid).toMatchObject({ state: 'waiting', error })
    }
    expect(await firstAttempt(shop, 'http://127.0.0.1:1/')).toMatchObject({
      ...{ state: 'waiting', error: 'ECONNREFUSED' },
    })
    const received = { state: 'delivered', status: 200 }
    const stops = await startReceiver((response) => void response.writeHead(200).write('wait'))
    expect(await firstAttempt(shop, stops.url)).toMatchObject(received)
    const goesOn = await startReceiver(endless)
    expect(await firstAttempt(shop, goesOn.url)).toMatchObject(received)
    await expect.poll(() => goesOn.open.now).toBe(0)
  })

  it('that redirects is not followed', async () => {
    const shop = await startShop(engine)
    const elsewhere = await startReceiver()
    for (const status of [301, 302, 303, 307, 308]) {
      const receiver = await startReceiver(answerWith(status, { location: elsewhere.url }))
      const attempt = await firstAttempt(shop, receiver.url)
      expect(attempt).toMatchObject({ state: 'waiting', status, error: `answered ${status}` })
    }
    expect(elsewhere.received).toEqual([])
  })

  it('with an untrusted certificate receives nothing', async () => {
    const shop = await startShop(engine)
    const receiver = await startReceiver(accept, makeCertificate(['receiver.example']))
    const attempt = await firstAttempt(shop, receiver.url)
    expect(attempt).toMatchObject({ state: 'waiting', error: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
    expect(receiver.received).toEqual([])
  })

  it('that hangs does not delay others, and gets one request at a time after a failure', async () => {
    // They fail when all are open: one that fails before keeps the others back.
    const shop = await startShop(engine, { outgoing: { answerWithinMs: 60_000 } })
    const held: ServerResponse[] = []
    const hangs = await startReceiver((response) => {
      held.push(response)
    })
    const answers = await startReceiver()
    const { webhook } = await shop.hook({ url: hangs.url })
    await shop.hook({ url: answers.url })
    await Promise.all(Array.from({ length: 40 }, () => shop.pet()))
    await answers.took(40)
    await expect.poll(() => held.length).toBe(8)
    expect(hangs.open.most).toBe(8)
    for (const response of held) response.destroy()
    await shop.logged(webhook.id, 8)
    await expect.poll(() => hangs.open.now).toBeLessThanOrEqual(1)
  })

  it('can be tested at once', async () => {
    const shop = await startShop(engine, { outgoing: { answerWithinMs } })
    const receiver = await startReceiver()
    const { webhook } = await shop.hook({ url: receiver.url })
    const destinations = { judge: () => 'allowed' as const, resolve: async () => [] }
    const send = () => testWebhook(shop.keeper, webhook.id, destinations, shop.clock.now)
    expect(await send()).toMatchObject({ status: 204, error: undefined })
    expect(receiver.received[0]).toMatchObject({
      type: 'webhook.test',
      data: { webhookId: webhook.id },
    })
    receiver.reply = answerWith(404)
    expect(await send()).toMatchObject({ status: 404, error: 'answered 404' })
    expect(await shop.deliveries(webhook.id)).toEqual([])
  })
})
