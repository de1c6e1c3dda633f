import { expect, it } from 'vitest'
import { chooseStoredEncoding } from './site.ts'

const both = { gzip: true, br: true }
const onlyGzip = { gzip: true, br: false }
const onlyBr = { gzip: false, br: true }
const none = { gzip: false, br: false }

it.each([
  [undefined, both, 'identity'],
  ['', both, 'identity'],
  ['gzip, deflate, br, zstd', both, 'br'],
  ['gzip, deflate, br, zstd', onlyGzip, 'gzip'],
  ['gzip, deflate, br, zstd', onlyBr, 'br'],
  ['gzip, deflate, br, zstd', none, 'identity'],
  ['gzip', both, 'gzip'],
  ['GZIP', both, 'gzip'],
  ['gzip', onlyBr, 'identity'],
  ['br', onlyGzip, 'identity'],
  ['br;q=0.5, gzip', both, 'gzip'],
  ['br;q=0.5, gzip', onlyBr, 'br'],
  ['br;q=0, gzip;q=0', both, 'identity'],
  ['br;q=0, *', both, 'gzip'],
  ['br;q=0, *', onlyBr, 'identity'],
  ['*', both, 'br'],
  ['*', onlyGzip, 'gzip'],
  ['*;q=0', both, 'identity'],
  ['identity', both, 'identity'],
  ['identity;q=1, gzip;q=0.2, br;q=0.1', both, 'identity'],
  ['identity;q=0.5, gzip;q=0.9, br;q=0.1', onlyBr, 'identity'],
  ['zstd, deflate', both, 'identity'],
  [';;q=,,,', both, 'identity'],
] as const)('%s of %o is %s', (field, there, expected) => {
  expect(chooseStoredEncoding(field, there)).toBe(expected)
})
