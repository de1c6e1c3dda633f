// Secrets of webhooks are shown when they are created, and appear in no list, log, metric, database or file.

import { describe, expect, it } from 'vitest'
import { anyEngine } from '../database.ts'
import { serveForTest } from '../faults/processes.ts'
import { Shop } from '../faults/shop.ts'
import { placeForTest } from '../place-for-test.ts'
import { peopleAt } from '../publishing/publishing-in-test.ts'
import { runCommand } from '../served-process.ts'
import { readStoredBytes } from '../stored-bytes.ts'
import { accept, answerWith, isSigned, startReceiver } from './receiver.ts'

describe.each(anyEngine)('webhooks on %s', (engine) => {
  it('work from creation to removal, and nothing shows a secret', async () => {
    const place = await placeForTest(engine)
    const receiver = await startReceiver()
    const served = await serveForTest(place, { WEBHOOK_ALLOW: '127.0.0.1', LOG_LEVEL: 'trace' })
    const { operator } = await peopleAt(served.port, served.setUpToken)
    const shop = new Shop(served.port, served.keys.production)
    const env = {
      ANIMAL_STORE_URL: `http://localhost:${served.port}`,
      ANIMAL_STORE_TOKEN: await operator.token(['store:read', 'store:write']),
    }
    const said: string[] = []
    const run = async (method: string, path: string, ...words: string[]) => {
      const all = ['api', method, `/api/store/production/webhooks${path}`, ...words]
      const result = await runCommand(place, all, env)
      said.push(result.stderr)
      const { secret, ...shown } = JSON.parse(result.stdout || '{}')
      said.push(JSON.stringify(shown))
      return { ...shown, secret, exit: result.status }
    }

    const made = await run('POST', '', '-f', `url=${receiver.url}`, '-f', 'label=crm')
    const { id, secret } = made
    expect(made).toMatchObject({ label: 'crm', state: 'active', events: null })
    expect(secret).toMatch(/^whsec_[\w+/]{43}=$/)
    expect(await run('GET', '')).toMatchObject({ items: [{ id, label: 'crm' }] })
    expect(await run('POST', `/${id}/test`)).toMatchObject({ status: 204, error: null })

    await shop.create('Rex')
    const [, event] = await receiver.took(2)
    if (!event) throw new Error('no event arrived')
    expect(await isSigned(event, secret)).toBe(true)
    await expect
      .poll(() => run('GET', `/${id}/deliveries`))
      .toMatchObject({
        items: [{ eventId: event.id, state: 'delivered', attempts: [{ attempt: 1, status: 204 }] }],
      })
    const failed = await run('GET', `/${id}/deliveries`, '-f', 'failed=true')
    expect(failed).toMatchObject({ items: [] })
    receiver.reply = answerWith(500)
    expect(await run('POST', `/${id}/test`)).toMatchObject({ status: 500 })
    receiver.reply = accept
    const resend = ['POST', `/${id}/deliveries/${event.id}/redeliver`] as const
    expect(await run(...resend)).toMatchObject({ exit: 0 })
    expect((await receiver.took(4))[3]?.id).toBe(event.id)

    const rotated = await run('POST', `/${id}/rotate`, '-F', 'overlapSeconds=3600')
    await shop.create('Momo')
    const both = (await receiver.took(5))[4]
    if (!both) throw new Error('no event arrived')
    expect(await isSigned(both, secret)).toBe(true)
    expect(await isSigned(both, rotated.secret)).toBe(true)

    const disabled = { state: 'disabled', disabledReason: 'by hand' }
    expect(await run('PATCH', `/${id}`, '-F', 'disabled=true')).toMatchObject(disabled)
    expect(await run(...resend)).toMatchObject({ exit: 1, code: 'delivery_not_found' })
    const enabled = await run('PATCH', `/${id}`, '-F', 'disabled=false')
    expect(enabled).toMatchObject({ state: 'active' })
    expect(await run('DELETE', `/${id}`)).toMatchObject({ exit: 0 })
    expect(await run('DELETE', `/${id}`)).toMatchObject({ exit: 1, code: 'webhook_not_found' })

    const metrics = (await served.askServer('/metrics')).text
    const attempts = 'animal_store_webhook_attempts_total{environment="production",result='
    expect(metrics).toContain(`${attempts}"delivered"} 3`)
    expect(metrics).toContain('animal_store_webhook_queue_length{environment="production"} 0')

    const everything = [...said, metrics, served.log(), await readStoredBytes(place)].join('\n')
    expect(everything).toContain(id)
    for (const text of [secret, rotated.secret]) {
      const bytes = Buffer.from(text.slice('whsec_'.length), 'base64')
      for (const form of ['base64', 'base64url', 'hex', 'latin1'] as const) {
        expect(everything.includes(bytes.toString(form).replace(/=$/, ''))).toBe(false)
      }
    }
  })
})
