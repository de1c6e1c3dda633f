// The webhook commands. Secrets must not appear in lists, logs, the database or on disk.

import { describe, expect, it } from 'vitest'
import { isLong } from '../cases.ts'
import { anyEngine } from '../database.ts'
import { serveForTest } from '../faults/processes.ts'
import { Shop } from '../faults/shop.ts'
import { type CommandResult, runCommand } from '../served-process.ts'
import { readStoredBytes } from '../stored-bytes.ts'
import { useTestDatabase } from '../use-test-database.ts'
import { accept, answerWith, isSigned, startReceiver } from './receiver.ts'

describe.each(anyEngine)('webhooks by command line on %s', (engine) => {
  it('work from create to remove, and nothing shows a secret', async () => {
    const place = await useTestDatabase(engine)
    const receiver = await startReceiver()
    const env = { WEBHOOK_ALLOW: '127.0.0.1', LOG_LEVEL: 'trace' }
    const said: string[] = []
    const run = async (...words: string[]): Promise<CommandResult> => {
      const result = await runCommand(place, ['webhooks', ...words], env)
      said.push(result.stderr)
      if (!['create', 'rotate'].includes(words[0] ?? '')) said.push(result.stdout)
      return result
    }
    const served = await serveForTest(place, env)
    const shop = new Shop(served.port, served.keys.production)

    const where = ['--environment', 'production', '--url', receiver.url]
    const created = JSON.parse((await run('create', ...where, '--label', 'crm', '--json')).stdout)
    const { id, secret } = created
    expect(created).toMatchObject({
      url: receiver.url,
      label: 'crm',
      state: 'active',
      events: null,
    })
    expect(secret).toMatch(/^whsec_[\w+/]{43}=$/)
    expect(JSON.parse((await run('list', '--json')).stdout)).toMatchObject([{ id, label: 'crm' }])
    expect((await run('list')).stdout).toContain(`${id}  active  ${receiver.url}  all`)
    expect((await run('list', '--environment', 'staging')).stdout).toContain('No webhooks yet')

    expect((await run('test', id)).stdout).toMatch(
      /^The endpoint responded with 204 in \d+ ms\.\n$/,
    )
    await shop.create('Rex')
    const [, event] = await receiver.took(2)
    if (!event) throw new Error('no event arrived')
    expect(await isSigned(event, secret)).toBe(true)
    const deliveries = async () => JSON.parse((await run('deliveries', id, '--json')).stdout)
    await expect
      .poll(deliveries)
      .toMatchObject([
        { eventId: event.id, state: 'delivered', attempts: [{ attempt: 1, status: 204 }] },
      ])
    expect((await run('deliveries', id)).stdout).toContain('pet.created  delivered  1')
    expect((await run('deliveries', id, '--failed')).stdout).toBe('No failed deliveries.\n')

    receiver.reply = answerWith(500)
    expect(await run('test', id)).toMatchObject({ status: 1, stdout: '' })
    receiver.reply = accept
    expect((await run('resend', event.id)).stdout).toContain(`${event.id}:${id}`)
    expect((await receiver.took(4))[3]?.id).toBe(event.id)

    const rotated = await run('rotate', id, '--overlap', '1h')
    await shop.create('Momo')
    const both = (await receiver.took(5))[4]
    if (!both) throw new Error('no event arrived')
    expect(await isSigned(both, secret)).toBe(true)
    expect(await isSigned(both, rotated.stdout.trim())).toBe(true)

    expect((await run('disable', id)).stdout).toBe(`Disabled ${id}.\n`)
    expect((await run('list')).stdout).toContain('disabled (by hand)')
    expect((await run('resend', event.id)).status).toBe(1)
    expect((await run('enable', id)).stdout).toBe(`Enabled ${id}.\n`)
    expect((await run('remove', id)).stdout).toBe(`Removed ${id}.\n`)
    for (const command of ['remove', 'disable', 'enable', 'rotate', 'test', 'deliveries']) {
      const { status, stderr } = await run(command, id)
      expect([status, stderr]).toEqual([1, `animal-store: there is no webhook ${id}\n`])
    }

    const metrics = (await shop.askServer('/metrics')).text
    const attempts = 'animal_store_webhook_attempts_total{environment="production",result='
    expect(metrics).toContain(`${attempts}"delivered"} 3`)
    expect(metrics).toContain('animal_store_webhook_queue_length{environment="production"} 0')

    const everything = [...said, served.log(), await readStoredBytes(place)].join('\n')
    expect(everything).toContain(id)
    for (const text of [secret, rotated.stdout.trim()]) {
      const bytes = Buffer.from(text.slice('whsec_'.length), 'base64')
      for (const form of ['base64', 'base64url', 'hex', 'latin1'] as const) {
        expect(everything.includes(bytes.toString(form).replace(/=$/, ''))).toBe(false)
      }
    }
  })

  if (isLong)
    it('reject invalid arguments with a message', async () => {
      const place = await useTestDatabase(engine)
      const url = ['--url', 'https://1.1.1.1/']
      const runs: [words: string[], message: string][] = [
        [['create', ...url], '--environment production|staging is missing'],
        [['create', '--environment', 'production'], '--url URL is missing'],
        [['create', '--environment', 'x', ...url], '--environment accepts production or staging'],
        [
          ['create', '--environment', 'staging', ...url, '--events', 'pet.sneezed'],
          '--events does not accept "pet.sneezed"',
        ],
        [['rotate', 'wh_live_x', '--overlap', 'long'], '--overlap accepts a duration'],
        [['list', '--environment', 'x'], '--environment accepts production or staging'],
      ]
      for (const [words, message] of runs) {
        const { status, stderr, stdout } = await runCommand(place, ['webhooks', ...words])
        expect([status, stdout]).toEqual([2, ''])
        expect(stderr).toContain(message)
      }
      const short = await runCommand(place, ['webhooks', 'list'], { SECRET_KEY: 'not-so-secret' })
      expect(short.status).toBe(2)
      expect(short.stderr).not.toContain('not-so-secret')
      const help = await runCommand(place, ['webhooks', 'create', '--help'])
      expect(help).toMatchObject({ status: 0, stderr: '' })
    })
})
