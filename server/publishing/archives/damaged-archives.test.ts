// A damaged archive is read or refused within the time limit, and produces only canonical paths.

import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { canonicalPath } from '#renderer/site-files/canonical-path.ts'
import { DeployFailure } from '#renderer/site-files/site-file.ts'
import { cases, runs } from '../../../test/cases.ts'
import { readWhole } from '../../../test/publishing/read-whole-archive.ts'
import { longNamePart, paxPart, tarEnd, tarPart } from '../../../test/publishing/tar-bytes.ts'
import { extraField, u64, zipBytes } from '../../../test/publishing/zip-bytes.ts'
import type { ArchiveForm } from './read-archive.ts'

const page = '<h1>Hello</h1>'.repeat(60)
const zip64 = extraField(1, Buffer.concat([u64(5n), u64(5n)]))

const goodZip = zipBytes(
  [
    { name: 'index.html', content: page },
    { name: 'a/', mode: 0o040755 },
    { name: 'a/stored.txt', content: 'stored', method: 0 },
    { name: 'a/é.txt', content: page, flags: 0x808, localCrc: 0, localSize: 0 },
    {
      ...{ name: 'large', content: '12345', method: 0, size: 0xffffffff, packedSize: 0xffffffff },
      ...{ extra: zip64, localExtra: zip64 },
    },
  ],
  { zip64Count: 5n },
)

const goodTar = Buffer.concat([
  paxPart({ comment: 'x' }, 'g'),
  tarPart({ name: 'index.html', content: page }),
  tarPart({ name: 'a/', type: '5' }),
  longNamePart(`a/${'b'.repeat(120)}`),
  tarPart({ name: 'a/b', content: page, magic: 'ustar  \0' }),
  paxPart({ path: 'a/é.txt', size: '5' }),
  tarPart({ name: 'c', content: '12345', prefix: 'p' }),
  tarEnd,
])

const place = fc.nat({ max: 10_000 })
const damage = fc.oneof(
  fc.record({
    kind: fc.constant('set' as const),
    at: place,
    bytes: fc.uint8Array({ minLength: 1, maxLength: 4 }),
  }),
  fc.record({
    kind: fc.constant('set' as const),
    at: place,
    bytes: fc
      .constantFrom('\xff\xff\xff\xff', '\0\0\0\0', '../', '/', 'PK\x01\x02', 'L', 'x', '7', '\x80')
      .map((text) => Buffer.from(text, 'latin1')),
  }),
  fc.record({
    kind: fc.constantFrom('cut' as const, 'double' as const),
    at: place,
    length: fc.nat({ max: 1100 }),
  }),
  fc.record({ kind: fc.constant('end' as const), at: place }),
)
type Damage = typeof damage extends fc.Arbitrary<infer T> ? T : never

function damaged(good: Buffer, damages: readonly Damage[]): Buffer {
  let bytes = Buffer.from(good)
  for (const one of damages) {
    const at = one.at % (bytes.length + 1)
    const before = bytes.subarray(0, at)
    if (one.kind === 'set') {
      bytes = Buffer.from(bytes)
      bytes.set(one.bytes.slice(0, bytes.length - at), at)
    } else if (one.kind === 'end') bytes = before
    else if (one.kind === 'cut') bytes = Buffer.concat([before, bytes.subarray(at + one.length)])
    else bytes = Buffer.concat([before, bytes.subarray(at, at + one.length), bytes.subarray(at)])
  }
  return bytes
}

/** The result: the number of files, or that the archive was refused. */
async function outcome(bytes: Buffer, form: ArchiveForm): Promise<number | 'refused'> {
  try {
    const { files } = await readWhole(bytes, form)
    for (const { path } of files) expect(canonicalPath(path)).toEqual({ path })
    expect(new Set(files.map(({ path }) => path.toLowerCase())).size).toBe(files.length)
    return files.length
  } catch (error) {
    if (!(error instanceof DeployFailure)) throw error
    expect(error.message).toMatch(/^.+\.$/)
    return 'refused'
  }
}

/** A tar with corrected checksums, so that the code after the checksum test runs, too. */
function withChecksums(bytes: Buffer): Buffer {
  for (let at = 0; at + 512 <= bytes.length; at += 512) {
    const block = bytes.subarray(at, at + 512)
    if (block.toString('latin1', 257, 262) !== 'ustar') continue
    block.write(' '.repeat(8), 148)
    const sum = block.reduce((total, byte) => total + byte, 0)
    block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  }
  return bytes
}

const archives: [string, ArchiveForm, Buffer, (bytes: Buffer) => Buffer][] = [
  ['a ZIP', 'zip', goodZip, (bytes) => bytes],
  ['a gzip', 'tar.gz', gzipSync(goodTar), (bytes) => bytes],
  ['a tar inside its gzip', 'tar.gz', goodTar, (bytes) => gzipSync(bytes)],
  ['a tar with correct checksums', 'tar.gz', goodTar, (bytes) => gzipSync(withChecksums(bytes))],
]

it.each(archives)('%s with random damage', async (_, form, good, packed) => {
  expect(await outcome(packed(Buffer.from(good)), form)).not.toBe('refused')
  const seen = new Set<number | 'refused'>()
  await fc.assert(
    fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 3 }), async (damages) => {
      seen.add(await outcome(packed(damaged(good, damages)), form))
    }),
    { numRuns: runs(600) },
  )
  expect(seen).toContain('refused')
})

it.each(cases(archives))('%s truncated at any byte', async (_, form, good, packed) => {
  const whole = packed(Buffer.from(good))
  for (let length = 0; length < whole.length; length += length > 1500 ? 61 : 7) {
    expect(await outcome(whole.subarray(0, length), form), `${length} bytes`).toBe('refused')
  }
})
