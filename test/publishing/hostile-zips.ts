// ZIP archives that must be refused, with the expected error.

import { crc32, deflateRawSync } from 'node:zlib'
import type { ArchiveLimits } from '#publishing/archives/entry-checker.ts'
import type { HostileArchive } from './hostile-archives.ts'
import {
  extraField,
  localEntry,
  u32,
  u64,
  type ZipEnd,
  type ZipPart,
  zipBytes,
} from './zip-bytes.ts'

const index: ZipPart = { name: 'index.html', content: '<h1>Hello</h1>' }

export function hostileZips(limits: ArchiveLimits): HostileArchive[] {
  return [...entries, ...pairs, ...structures, ...sizes(limits)]
}

function zip(
  name: string,
  refusal: RegExp,
  parts: readonly ZipPart[] | (() => readonly ZipPart[]),
  end: ZipEnd = {},
): HostileArchive {
  const list = () => (typeof parts === 'function' ? parts() : parts)
  return { name: `zip: ${name}`, form: 'zip', refusal, bytes: () => zipBytes(list(), end) }
}

function raw(name: string, refusal: RegExp, bytes: () => Buffer): HostileArchive {
  return { name: `zip: ${name}`, form: 'zip', refusal, bytes }
}

const folder = (name: string): ZipPart => ({ name, mode: 0o040755 })

/** One invalid entry. */
const entries: HostileArchive[] = [
  zip('a NUL in a name', /NUL/, [index, { name: 'a\0.html' }]),
  zip('a name that is marked as UTF-8 and is not', /not valid UTF-8/, [
    { name: Buffer.from('a\xff', 'latin1') },
  ]),
  zip('half a character', /not valid UTF-8/, [{ name: Buffer.from([0xed, 0xa0, 0x80]) }]),
  zip('another name in an extra field', /leaves its folder/, [
    { ...index, extra: unicodePath('index.html', '../index.html') },
  ]),
  zip('a symbolic link', /symbolic link/, [{ name: 'a', content: '/etc/passwd', mode: 0o120777 }]),
  zip('a device', /a device/, [{ name: 'a', mode: 0o020644 }]),
  zip('a block device', /a device/, [{ name: 'a', mode: 0o060644 }]),
  zip('a named pipe', /named pipe/, [{ name: 'a', mode: 0o010644 }]),
  zip('a socket', /socket/, [{ name: 'a', mode: 0o140644 }]),
  zip('an unknown kind', /unknown kind/, [{ name: 'a', mode: 0o150644 }]),
  zip('a folder that is named as a file', /without a slash/, [folder('a')]),
  zip('a folder with content', /folder has content/, [
    { name: 'a/', content: 'x', mode: 0o040755 },
  ]),
  zip('a folder that leaves', /leaves its folder/, [index, folder('../a/')]),
  zip('encryption', /encrypted/, [{ ...index, flags: 0x801 }]),
  zip('strong encryption', /encrypted/, [{ ...index, flags: 0x841 }]),
  zip('encryption in one header only', /encryption of the file differs/, [
    { ...index, localFlags: 0x801 },
  ]),
  zip('bzip2', /method 12/, [{ ...index, method: 12 }]),
  zip('an unknown method', /method 99/, [{ ...index, method: 99 }]),
]

/** Entries that are valid on their own. All pairs of names: server/renderer/site-files/canonical-path.test.ts. */
const pairs: HostileArchive[] = [
  zip('one name twice', /"index\.html" occurs twice/, [index, index]),
  zip('one name with a dot', /occurs twice/, [index, { ...index, name: './index.html' }]),
  zip('names that differ in case', /"Index\.html" and "index\.html" differ only in upper/, [
    { ...index, name: 'Index.html' },
    index,
  ]),
  zip('an empty folder that is a file', /both a file and a folder/, [folder('a/'), { name: 'a' }]),
]

/** Archives with a wrong structure. */
const structures: HostileArchive[] = [
  raw('an empty file', /not a complete ZIP/, () => Buffer.alloc(0)),
  raw('no directory', /not a complete ZIP/, () => localEntry(index)),
  raw('cut in the middle', /not a complete ZIP/, () => zipBytes([index]).subarray(0, 60)),
  raw('cut in the end', /not a complete ZIP/, () => zipBytes([index]).subarray(0, -3)),
  raw('data after the end', /not a complete ZIP/, () => Buffer.concat([zipBytes([index]), u32(1)])),
  raw('data before the beginning', /not a complete ZIP/, () =>
    Buffer.concat([Buffer.from('MZ junk'), zipBytes([index])]),
  ),
  zip('no entries', /no files/, []),
  zip('no entries, and a directory beyond the end', /no files/, [], {
    zip64Count: 0n,
    directoryOffset: 2 ** 60,
  }),
  zip('only folders', /no files/, [folder('a/')]),
  zip('only excluded files', /no files/, [{ name: '.git/HEAD' }, { name: '.env' }]),
  zip('several disks', /split into several parts/, [index], { disk: 1 }),
  zip('several disks in zip64', /split into several parts/, [index], { disk: 1, zip64Count: 1n }),
  zip('a directory beyond the file', /not a complete ZIP/, [index], {
    directoryOffset: 0xfffffff0,
  }),
  zip('a zip64 end beyond the end', /not a complete ZIP/, [index], {
    zip64Count: 1n,
    zip64Offset: 2n ** 64n - 1n,
  }),
  zip('fewer entries than there are', /more entries than declared/, [index, { name: 'b' }], {
    count: 1,
  }),
  zip('more entries than there are', /not a complete ZIP/, [index], { count: 2 }),
  zip('an offset beyond the file', /not a complete ZIP/, [{ ...index, offset: 0xffffff }]),
  zip('an extra field that is too short', /not a complete ZIP/, [
    { ...index, extra: Buffer.from([1, 0, 9, 0]) },
  ]),
  zip('a missing zip64 size', /not a complete ZIP/, [
    { ...index, size: 0xffffffff, extra: extraField(1, Buffer.alloc(4)) },
  ]),
  zip('another name in the local header', /name of the file differs/, [
    { ...index, localName: 'other.html' },
  ]),
  zip('another method in the local header', /compression method of the file differs/, [
    { ...index, localMethod: 0 },
  ]),
  zip('another checksum in the local header', /checksum of the file differs/, [
    { ...index, localCrc: 1 },
  ]),
  zip('another size in the local header', /size of the file differs/, [{ ...index, localSize: 1 }]),
  zip('a wrong checksum', /checksum of the file is wrong/, [{ ...index, crc: 1 }]),
  zip('two entries of one header', /name of the file differs/, [
    index,
    { ...index, name: 'b', localName: 'index.html', offset: 0 },
  ]),
  raw('entries inside each other', /overlap/, quotedOverlap),
  zip('a file that extends into the directory', /overlap/, [
    { name: 'a', content: 'x'.repeat(40), method: 0, size: 60, packedSize: 60 },
  ]),
]

function sizes(limits: ArchiveLimits): HostileArchive[] {
  const zeros = () => Buffer.alloc(Math.min(limits.fileBytes, 4_000_000))
  return [
    zip('a file larger than declared', /larger than declared/, [{ ...index, size: 5 }]),
    zip('a bomb that is declared as small', /larger than declared/, () => [
      { name: 'a', packed: deflateRawSync(Buffer.alloc(limits.fileBytes + 1)), size: 500_000 },
    ]),
    zip('a file smaller than declared', /smaller than declared/, [{ ...index, size: 500 }]),
    zip('a stored file of two sizes', /two different sizes/, [{ ...index, method: 0, size: 5 }]),
    zip('compressed to more than its size', /larger compressed/, [
      { name: 'a', packed: Buffer.alloc(10_000), content: 'x' },
    ]),
    zip('data after the compressed data', /extra data after the compressed file/, [
      { ...index, packed: Buffer.concat([deflateRawSync(Buffer.from('<h1>Hello</h1>')), u32(7)]) },
    ]),
    zip('compressed data of junk', /cannot be unpacked/, [
      { ...index, packed: Buffer.from('ffffffffffff', 'hex') },
    ]),
    zip('compressed data that is cut off', /cannot be unpacked/, [
      { ...index, packed: deflateRawSync(Buffer.from('<h1>Hello</h1>')).subarray(0, -4) },
    ]),
    zip('a file over the limit', /larger than [\d,]+ bytes when unpacked/, [
      { ...index, size: limits.fileBytes + 1 },
    ]),
    zip('a file of 2^60 bytes', /larger than [\d,]+ bytes/, [
      { ...index, size: 0xffffffff, extra: extraField(1, u64(2n ** 60n)) },
    ]),
    zip('a bomb by ratio', /more than 250 times/, () => [{ name: 'a', content: zeros() }]),
    zip('a bomb in many files', /more than 250 times/, () => {
      const content = Buffer.alloc(200_000)
      return Array.from({ length: 10 }, (_, at) => ({ name: `${at}`, content }))
    }),
    zip('more bytes than the limit in all', /files of the archive are larger than/, () => {
      const size = limits.fileBytes
      const count = Math.floor(limits.bytes / size) + 1
      return Array.from({ length: count }, (_, at) => ({ name: `${at}`, content: 'x', size }))
    }),
    zip('more files than the limit', /more than [\d,]+ files/, () => many(limits.files + 1)),
    zip(
      'more entries than the limit',
      /more than [\d,]+ entries/,
      () => many(limits.entries + 1).map(({ name }) => folder(`${name}/`)),
      { count: 0xffff, zip64Count: BigInt(limits.entries + 1) },
    ),
    zip('a million entries, as declared', /more than [\d,]+ entries/, [index], {
      zip64Count: 1_000_000n,
    }),
    zip('2^64 entries, as declared', /more than [\d,]+ entries/, [index], {
      zip64Count: 2n ** 64n - 1n,
    }),
  ]
}

function many(count: number): { name: string }[] {
  return Array.from({ length: count }, (_, at) => ({ name: `f${at}` }))
}

/** Info-ZIP's extra field with a UTF-8 name, which takes precedence over the entry's name. */
function unicodePath(name: string, other: string): Buffer {
  const checked = Buffer.concat([Buffer.from([1]), u32(crc32(name)), Buffer.from(other)])
  return extraField(0x7075, checked)
}

/** Each entry's data contains the header of the next, quoted: the data of the last is in all of them. */
function quotedOverlap(): Buffer {
  const inner = localEntry({ name: 'b', content: 'x'.repeat(1000), method: 0 })
  const outer = localEntry({ name: 'a', content: inner, method: 0 })
  const all = zipBytes(
    [
      { name: 'a', content: inner, method: 0, offset: 0 },
      { name: 'b', content: 'x'.repeat(1000), method: 0, offset: outer.length - inner.length },
    ],
    { directoryOffset: outer.length },
  )
  return Buffer.concat([outer, all])
}
