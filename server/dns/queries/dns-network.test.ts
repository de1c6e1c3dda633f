// Which addresses may be queried, and at which port.
import { expect, test } from 'vitest'
import { createDnsNetwork } from './dns-network.ts'

test('allows public addresses at port 53, others only if configured', () => {
  const { portOf } = createDnsNetwork({ allow: ['10.1.0.0/16', '127.0.0.1:5353', '[fd00::]/8:53'] })
  expect(portOf('8.8.8.8')).toBe(53)
  expect(portOf('2606:4700::1111')).toBe(53)
  expect(portOf('10.1.2.3')).toBe(53)
  expect(portOf('127.0.0.1')).toBe(5353)
  expect(portOf('fd12::1')).toBe(53)
  for (const address of ['10.2.0.1', '127.0.0.2', '::1', '::ffff:10.2.2.3', 'fe80::1%eth0', 'x']) {
    expect(portOf(address)).toBeUndefined()
  }
})

test('queries configured servers at their configured address and port', () => {
  const resolver = { address: '127.0.0.53', port: 5300 }
  const { mayAsk } = createDnsNetwork({ resolver })
  expect(mayAsk(resolver)).toBe(true)
  expect(mayAsk({ address: '127.0.0.53', port: 53 })).toBe(false)
  expect(mayAsk({ address: '8.8.8.8', port: 853 })).toBe(false)
})

test.each(['::1', 'fd00::/8', '[::1]:5353', '192.0.2.1/32:53'])('accepts the entry %s', (entry) => {
  expect(() => createDnsNetwork({ allow: [entry] })).not.toThrow()
})

test.each([
  '',
  'localhost',
  '10.0.0.0/33',
  '::1/129',
  '10.0.0.1:0',
  '10.0.0.1:65536',
  '10.0.0.1:x',
])('"%s" is none', (entry) => {
  expect(() => createDnsNetwork({ allow: [entry] })).toThrow(RangeError)
})
