import { PassThrough } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { TLSSocket } from 'node:tls'
import { expect, it } from 'vitest'
import { makeCertificate } from '../../../../test/edge/certificates.ts'
import { createSecureContexts } from './secure-contexts.ts'

it('drops contexts that were not used for ten minutes, one with each handshake', async () => {
  const pem = makeCertificate(['a.test'])
  let now = 0
  const loaded: string[] = []
  const keys = Buffer.alloc(48)
  const contexts = createSecureContexts({
    maxContexts: 10,
    ticketKeys: () => keys,
    now: () => now,
  })
  const use = async (id: string) => {
    const load = () => {
      loaded.push(id)
      return pem
    }
    await contexts.contextFor({ id, load })
    return contexts.size
  }
  expect(await use('first')).toBe(1)
  expect(await use('second')).toBe(2)
  now = 10 * 60_000
  expect(await use('third')).toBe(3)
  now++
  expect(await use('third')).toBe(2)
  expect(await use('third')).toBe(1)
  await use('first')
  expect(loaded).toEqual(['first', 'second', 'third', 'first'])
})

it('a context that was dropped is empty, so that a handshake with it fails without harm', async () => {
  const pem = makeCertificate(['a.test'])
  const keys = Buffer.alloc(48)
  const contexts = createSecureContexts({ maxContexts: 1, ticketKeys: () => keys })
  const load = () => pem
  const first = await contexts.contextFor({ id: 'first', load })
  expect(
    () => new TLSSocket(new PassThrough(), { isServer: true, secureContext: first }),
  ).not.toThrow()
  await contexts.contextFor({ id: 'second', load })
  await nextTurn()
  expect(() => new TLSSocket(new PassThrough(), { isServer: true, secureContext: first })).toThrow(
    'context',
  )
  expect(contexts.size).toBe(1)
})
