import { expect, it } from 'vitest'
import { createId, createSecret, signedHeaders } from './signature.ts'

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
