// The verification code in docs/webhooks.md works.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { createSecret, signedHeaders } from '#kit/webhooks/send-message.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/webhooks.md'), 'utf8')

it('verifies a message, and rejects a changed, old or wrongly signed one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'webhooks-'))
  const file = join(folder, 'receiver.mjs')
  writeFileSync(file, /```js\n([\s\S]*?)```/.exec(page)?.[1] ?? '')
  const { isGenuine } = await import(pathToFileURL(file).href)
  rmSync(folder, { recursive: true })

  const [ours, other] = [createSecret(), createSecret()]
  const body = '{"type":"pet.created"}'
  const now = Date.now()
  const headers = signedHeaders([other.bytes, ours.bytes], 'msg_1', now, body)
  expect(isGenuine(ours.text, headers, Buffer.from(body))).toBe(true)
  expect(isGenuine(ours.text, headers, Buffer.from(`${body} `))).toBe(false)
  expect(isGenuine(ours.text, { ...headers, 'webhook-id': 'msg_2' }, body)).toBe(false)
  expect(isGenuine(createSecret().text, headers, body)).toBe(false)
  const old = signedHeaders([ours.bytes], 'msg_1', now - 400_000, body)
  expect(isGenuine(ours.text, old, body)).toBe(false)
})
