import { describe, expect, it } from 'vitest'
import { isPublicAddress, judgeAddresses, networkOf } from './addresses.ts'

const publicOnes = `
  1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 93.184.215.14 100.63.255.255 100.128.0.0
  126.255.255.255 128.0.0.1 168.63.129.15 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0
  192.0.1.0 192.0.3.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 198.51.99.255
  203.0.114.0 223.255.255.255 2001:200::1 2001:4860:4860::8888 2001:db7:ffff::1 2001:db9::1
  2003::1 2400:cb00:2048:1::c629:d7a2 2606:4700:4700::1111 2a00:1450:4001:81b::200e 3ffe::1`
  .trim()
  .split(/\s+/)

const others = `
  0.0.0.0 0.1.2.3 10.0.0.0 10.255.255.255 100.64.0.1 100.100.100.200 100.127.255.255 127.0.0.1
  127.255.255.254 168.63.129.16 169.254.169.254 169.254.170.2 172.16.0.1 172.31.255.255
  192.0.0.1 192.0.0.192 192.0.2.1 192.31.196.1 192.52.193.1 192.88.99.1 192.168.0.1
  192.168.255.255 192.175.48.1 198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.9 224.0.0.1
  239.255.255.250 240.0.0.1 255.255.255.255 :: ::1 ::7f00:1 ::127.0.0.1 ::8.8.8.8
  ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::ffff:7f00:1 0:0:0:0:0:ffff:a00:1 ::ffff:0:10.0.0.1
  64:ff9b::10.0.0.1 64:ff9b::808:808 64:ff9b:1::a00:1 100::1 2001::1 2001:0:53aa:64c::1
  2001:2::1 2001:10::1 2001:20::1 2001:1ff:ffff::1 2001:db8::1 2002:7f00:1::1 2002:808:808::1
  2620:4f:8000::1 3fff::1 3fff:fff::1 4000::1 5f00::1 fc00::1 fd00:ec2::254 fdff::1 fe80::1
  fe80::1%eth0 2606:4700:4700::1111%eth0 febf::1 fec0::1 ff02::1 ff0e::1 localhost 127.1
  2130706433 0x7f000001 0177.0.0.1 1.1.1.1:80 [::1]`
  .trim()
  .split(/\s+/)
  .concat('', '1.1.1.1 ')

it('has more than 100 test addresses', () => {
  expect(publicOnes.length + others.length).toBeGreaterThan(100)
})

describe('public', () => {
  it.each(publicOnes)('%s', (address) => expect(isPublicAddress(address)).toBe(true))
})

describe('not public', () => {
  it.each(others)('%s', (address) => expect(isPublicAddress(address)).toBe(false))
})

it('allows only the networks that the operator allows', () => {
  const judge = judgeAddresses(['127.0.0.1', '10.1.0.0/16', 'fd00:1::/32'])
  expect(judge('127.0.0.1')).toBe('allowed')
  expect(judge('10.1.255.255')).toBe('allowed')
  expect(judge('fd00:1::5')).toBe('allowed')
  for (const address of ['127.0.0.2', '10.2.0.0', 'fd00:2::5', 'fe80::1%eth0', '', 'localhost']) {
    expect(judge(address)).toBe('refused')
  }
  expect(judge('1.1.1.1')).toBe('public')
  expect(judgeAddresses([])('127.0.0.1')).toBe('refused')
})

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:0DB8:0:0:1:2:3:4', '2001:db8:0:0::/64'],
  ['2001:db8:0:1::1', '2001:db8:0:1::/64'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
  ['1:2:3:4:5:6:192.0.2.1', '1:2:3:4::/64'],
  ['1::', '1:0:0:0::/64'],
  ['', ''],
])('%s is of %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})
