// Gzipped tar archives that must be refused, with the expected error.

import { randomBytes } from 'node:crypto'
import { deflateSync, gzipSync } from 'node:zlib'
import type { ArchiveLimits } from '#publishing/archives/entry-checker.ts'
import type { HostileArchive } from './hostile-archives.ts'
import {
  longNamePart,
  paxPart,
  type TarPart,
  tarEnd,
  tarGz,
  tarHeader,
  tarPart,
} from './tar-bytes.ts'

const index = tarPart({ name: 'index.html', content: '<h1>Hello</h1>' })

export function hostileTars(limits: ArchiveLimits): HostileArchive[] {
  return [...entries, ...headers, ...structures, ...sizes(limits)]
}

function raw(name: string, refusal: RegExp, bytes: () => Buffer): HostileArchive {
  return { name: `tar.gz: ${name}`, form: 'tar.gz', refusal, bytes }
}

/** These blocks and the end marker. */
function tar(name: string, refusal: RegExp, ...parts: readonly Buffer[]): HostileArchive {
  return raw(name, refusal, () => tarGz(...parts, tarEnd))
}

function one(name: string, refusal: RegExp, part: TarPart): HostileArchive {
  return tar(name, refusal, index, tarPart(part))
}

/** A pax header with this content. */
function pax(name: string, content: string): HostileArchive {
  return tar(name, /pax header/, tarPart({ name: 'x', type: 'x', content }), index)
}

const entries: HostileArchive[] = [
  one('a symbolic link', /symbolic link/, { name: 'a', type: '2', link: '/etc/passwd' }),
  one('a link to a folder above', /symbolic link/, { name: 'a', type: '2', link: '../..' }),
  one('a hard link', /hard link/, { name: 'a', type: '1', link: 'index.html' }),
  one('a character device', /a device/, { name: 'a', type: '3' }),
  one('a block device', /a device/, { name: 'a', type: '4' }),
  one('a named pipe', /named pipe/, { name: 'a', type: '6' }),
  one('a sparse file of GNU', /sparse file/, { name: 'a', type: 'S', magic: 'ustar  \0' }),
  one('a volume label', /unknown kind/, { name: 'a', type: 'V' }),
  one('a part of several volumes', /unknown kind/, { name: 'a', type: 'M' }),
  one('an unknown type', /unknown kind/, { name: 'a', type: 'Z' }),
  one('a folder with a size', /folder has content/, { name: 'a/', type: '5', content: 'x' }),
  one('a folder that leaves', /leaves its folder/, { name: '../a/', type: '5' }),
  one('a name without UTF-8', /not valid UTF-8/, { name: Buffer.from('caf\xe9', 'latin1') }),
  one('no name', /name is empty/, { name: '' }),
  one('a path out of the folder in two fields', /leaves its folder/, {
    name: 'evil',
    prefix: 'a/../..',
  }),
  tar('one name twice', /occurs twice/, index, index),
]

const tooLarge = Array(11).fill(0x7f)
const headers: HostileArchive[] = [
  tar('a pax path that leaves', /leaves its folder/, paxPart({ path: '../../evil' }), index),
  tar('a pax path with NUL', /NUL/, paxPart({ path: 'a\0b' }), index),
  tar(
    'a pax path without UTF-8',
    /not valid UTF-8/,
    paxPart({ path: Buffer.from([0xc3, 0x28]) }),
    index,
  ),
  tar('a pax path that is absolute', /absolute/, paxPart({ path: '/etc/passwd' }), index),
  tar('a pax size that is negative', /size of a file/, paxPart({ size: '-1' }), index),
  tar('a pax size that is not a number', /size of a file/, paxPart({ size: '1e3' }), index),
  tar('a pax size that includes the next file', /is incomplete/, paxPart({ size: '5000' }), index),
  tar('a pax header of a sparse file', /sparse/, paxPart({ 'GNU.sparse.major': '1' }), index),
  pax('a pax header of junk', 'noise'),
  pax('a pax record longer than the header', '99 path=a\n'),
  pax('a pax record shorter than its length', '8 path=abc\n'),
  pax('a pax record without a keyword', '5 =a\n'),
  pax('a pax record of length 0', '0 path=a\n'),
  tar('a global pax path', /global header/, paxPart({ path: 'a' }, 'g'), index),
  tar('a global pax size', /global header/, paxPart({ size: '0' }, 'g'), index),
  tar(
    'a long name that leaves',
    /leaves its folder/,
    longNamePart(`${'a'.repeat(150)}/../../evil`),
    index,
  ),
  tar('a long name with NUL inside', /NUL/, longNamePart('a\0../evil'), index),
  tar(
    'a hundred pax headers for one file',
    /too many headers/,
    ...Array.from({ length: 100 }, () => paxPart({ comment: 'x' })),
    index,
  ),
  tar('a pax header without a file', /is incomplete/, index, paxPart({ path: 'a' })),
  raw('a pax header of 100 MB', /more than 1 MB/, () => hugeHeader('x')),
  raw('a long name of 100 MB', /more than 1 MB/, () => hugeHeader('L')),
  one('a wrong checksum', /checksum of a header/, { name: 'a', checksum: '0000001\0' }),
  one('an unknown tar format', /tar format is not supported/, { name: 'a', magic: 'visitor ' }),
  one('a size that is not a number', /size of a file/, { name: 'a', size: '9x9\0' }),
  one('a negative size', /size of a file/, { name: 'a', size: Buffer.alloc(12, 0xff) }),
  one('a size of 2^87', /size of a file/, { name: 'a', size: Buffer.from([0x80, ...tooLarge]) }),
]

const structures: HostileArchive[] = [
  raw('an empty file', /gzip file is damaged/, () => Buffer.alloc(0)),
  raw('a gzip of nothing', /is incomplete/, () => gzipSync('')),
  raw('a gzip of something else', /checksum of a header/, () =>
    gzipSync('<h1>Hello</h1>'.repeat(100)),
  ),
  raw('a ZIP with another file name', /gzip file is damaged/, () =>
    Buffer.from('PK\x05\x06'.padEnd(22, '\0')),
  ),
  raw('zlib without gzip', /gzip file is damaged/, () =>
    deflateSync(Buffer.concat([index, tarEnd])),
  ),
  raw('an empty archive', /no files/, () => tarGz(tarEnd)),
  raw('only folders', /no files/, () => tarGz(tarPart({ name: 'a/', type: '5' }), tarEnd)),
  raw('no end mark', /is incomplete/, () => tarGz(index)),
  raw('half an end mark', /is incomplete/, () => tarGz(index, Buffer.alloc(512))),
  raw('cut within a file', /is incomplete/, () => tarGz(index.subarray(0, 520))),
  raw('cut within a pax header', /is incomplete/, () =>
    tarGz(paxPart({ path: 'abc' }).subarray(0, 518)),
  ),
  raw('cut within a header', /is incomplete/, () => tarGz(index, index.subarray(0, 100))),
  raw('another archive after the end', /data after its end/, () =>
    tarGz(index, tarEnd, index, tarEnd),
  ),
  raw('a gzip that is cut off', /gzip file is damaged/, () => tarGz(index, tarEnd).subarray(0, -6)),
  raw('a gzip with a wrong checksum', /gzip file is damaged/, () => {
    const bytes = tarGz(index, tarEnd)
    bytes.writeUInt32LE(1, bytes.length - 8)
    return bytes
  }),
  raw('junk after the gzip', /gzip file is damaged/, () =>
    Buffer.concat([tarGz(index, tarEnd), Buffer.from('junk')]),
  ),
]

function sizes(limits: ArchiveLimits): HostileArchive[] {
  const isTooLarge = /larger than [\d,]+ bytes/
  const folders = gzipSync(
    Buffer.concat(
      Array.from({ length: 500 }, (_, at) =>
        tarHeader({ name: `${at}${randomBytes(4).toString('hex')}/`, type: '5' }),
      ),
    ),
  )
  return [
    one('a file over the limit', isTooLarge, { name: 'a', size: limits.fileBytes + 1 }),
    one('a file of 8 GB', isTooLarge, { name: 'a', size: 0o77777777777 }),
    one('a file that is longer than the archive', /is incomplete/, { name: 'a', size: 10_000 }),
    raw('a bomb by ratio', /more than 250 times/, () =>
      tarGz(
        tarPart({ name: 'a', content: Buffer.alloc(Math.min(limits.fileBytes, 4_000_000)) }),
        tarEnd,
      ),
    ),
    raw('a bomb after the end marker', /more than 250 times/, () =>
      tarGz(index, tarEnd, Buffer.alloc(20_000_000)),
    ),
    raw('a bomb in an excluded file', /more than 250 times/, () =>
      tarGz(index, tarPart({ name: '.git/x', content: Buffer.alloc(20_000_000) }), tarEnd),
    ),
    raw('more bytes than the limit in all', /files of the archive are larger than/, () => {
      // Compressed about 100 to 1: enough to fit an upload, not enough to count as a bomb.
      const noise = randomBytes(16_000)
      const content = Buffer.concat(
        Array.from({ length: Math.floor(limits.fileBytes / 16_000) }, () => noise),
      )
      const parts = Array.from({ length: Math.floor(limits.bytes / content.length) + 1 }, (_, at) =>
        gzipSync(tarPart({ name: `${at}`, content }), { level: 1 }),
      )
      return Buffer.concat([...parts, gzipSync(tarEnd)])
    }),
    raw('more bytes than the limit in excluded files', /files of the archive are larger/, () => {
      const content = randomBytes(16_000).toString('hex').repeat(300)
      const part = gzipSync(tarPart({ name: '.git/x', content }))
      const count = (limits.bytes + limits.entries * 4096) / content.length + 1
      return Buffer.concat([gzipSync(index), ...Array.from({ length: count }, () => part)])
    }),
    raw('more files than the limit', /more than [\d,]+ files/, () =>
      tarGz(
        ...Array.from({ length: limits.files + 1 }, (_, at) => tarHeader({ name: `f${at}` })),
        tarEnd,
      ),
    ),
    raw('a million entries', /more than [\d,]+ entries/, () =>
      Buffer.concat(Array.from({ length: 2000 }, () => folders)),
    ),
  ]
}

/** Every byte is present, in gzip members of a megabyte. */
function hugeHeader(type: string): Buffer {
  const filler = gzipSync(randomBytes(8192).toString('hex').repeat(64))
  const header = tarHeader({ name: 'x', type, size: 100 * 1024 * 1024 })
  const content = Array.from({ length: 100 }, () => filler)
  return Buffer.concat([gzipSync(header), ...content, gzipSync(Buffer.concat([index, tarEnd]))])
}
