// A cancelled UDP query leaves no open socket, at any time of the cancellation.
import { expect, test } from 'vitest'
import { askUdp } from './ask.ts'

const discard = { address: '127.0.0.1', port: 9 }
const openSockets = () =>
  process.getActiveResourcesInfo().filter((name) => name === 'UDPWrap').length

test.each([
  ['immediately', (abort: () => void) => abort()],
  ['in the next tick', (abort: () => void) => process.nextTick(abort)],
  ['in the next turn', (abort: () => void) => setImmediate(abort)],
])('closes all sockets when aborted %s', async (_, when) => {
  const abandoned = new AbortController()
  const options = { timeoutMs: 10_000, signal: abandoned.signal }
  const asked = Array.from({ length: 20 }, () => askUdp(discard, Buffer.alloc(20), options))
  expect(openSockets()).toBe(20)
  when(() => abandoned.abort())
  for (const reply of await Promise.all(asked)) expect(reply).toHaveProperty('failure')
  await expect.poll(openSockets).toBe(0)
})
