import { expect, it } from 'vitest'
import {
  createId,
  createSecret,
  retryDelayMs,
  retryDelaysMs,
  signedHeaders,
} from './send-message.ts'

it('signs the example of Standard Webhooks', () => {
  const secret = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64')
  const body = '{"test": 2432232314}'
  const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek'
  expect(signedHeaders([secret], id, 1614265330_999, body)).toEqual({
    'webhook-id': id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  })
})

it('signs with each secret, the newest first', () => {
  const [first, second] = [createSecret().bytes, createSecret().bytes]
  const one = signedHeaders([first], 'msg_1', 0, 'x')['webhook-signature']
  const other = signedHeaders([second], 'msg_1', 0, 'x')['webhook-signature']
  expect(signedHeaders([first, second], 'msg_1', 0, 'x')['webhook-signature']).toBe(
    `${one} ${other}`,
  )
})

it('creates secrets of 32 bytes, and different ids', () => {
  const { bytes, text } = createSecret()
  expect(bytes).toHaveLength(32)
  expect(Buffer.from(text.slice('whsec_'.length), 'base64')).toEqual(bytes)
  expect(createId('msg_')).not.toBe(createId('msg_'))
})

const now = Date.UTC(2027, 0, 1)
const day = 24 * 3600 * 1000

it('retries nine times with the delays of Standard Webhooks plus jitter', () => {
  for (const [i, delay] of retryDelaysMs.entries()) {
    expect(retryDelayMs(i + 1, undefined, now, 0)).toBe(Math.round(delay * 0.9))
    expect(retryDelayMs(i + 1, undefined, now, 0.5)).toBe(delay)
    expect(retryDelayMs(i + 1, undefined, now, 1)).toBe(Math.round(delay * 1.1))
  }
  for (const retryAfter of [undefined, '60'])
    expect(retryDelayMs(retryDelaysMs.length + 1, retryAfter, now)).toBeUndefined()
  expect(retryDelaysMs.reduce((sum, delay) => sum + delay)).toBeGreaterThan(3 * day)
})

it.each([
  ['60', 60_000],
  ['1', 5000],
  ['0', 5000],
  ['-60', 5000],
  ['soon', 5000],
  ['', 5000],
  ['999999999', day],
  ['99999999999999999999', 5000],
  [new Date(now + 120_000).toUTCString(), 120_000],
  [new Date(now - 120_000).toUTCString(), 5000],
  [new Date(now + 30 * day).toUTCString(), day],
])('accepts Retry-After: %s within bounds', (field, delay) => {
  expect(retryDelayMs(1, field, now, 0.5)).toBe(delay)
})
