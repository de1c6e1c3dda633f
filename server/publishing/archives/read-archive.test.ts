// Valid archives, and how they are read: by position, without keeping content in memory or files on disk; how their formats
// are recognized; and which files and folders of them a site does not have.

import { closeSync, fstatSync } from 'node:fs'
import { constants, deflateRawSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { openUnlinked, readWhole, testLimits } from '../../../test/publishing/read-whole-archive.ts'
import {
  longNamePart,
  paxPart,
  type TarPart,
  tarEnd,
  tarGz,
  tarPart,
} from '../../../test/publishing/tar-bytes.ts'
import { extraField, u32, u64, type ZipPart, zipBytes } from '../../../test/publishing/zip-bytes.ts'
import { isIgnoredFile } from './ignored-files.ts'
import { archiveForm, readArchive, withoutCommonFolder } from './read-archive.ts'

const hello = { name: 'index.html', content: 'Hello' }
const isHello = { 'index.html': 'Hello' }

async function contentOf(bytes: Buffer, form: 'zip' | 'tar.gz'): Promise<Record<string, string>> {
  const { files } = await readWhole(bytes, form)
  return Object.fromEntries(
    files.map(({ path, bytes }) => [path, Buffer.from(bytes).toString('utf8')]),
  )
}

describe('a ZIP', () => {
  const both32 = { size: 0xffffffff, packedSize: 0xffffffff }
  const zip64 = extraField(1, Buffer.concat([u64(5n), u64(5n)]))
  const follows = { flags: 0x808, localCrc: 0, localSize: 0 }
  const withoutMode = { ...hello, mode: 0 }
  const descriptor = Buffer.concat([Buffer.from('PK\x07\x08'), u32(0), u32(7), u32(5)])
  /** With the file, as these fields describe it. */
  const one = (part: Partial<ZipPart>) => zipBytes([{ ...hello, ...part }])

  it.each([
    ['packed', one({})],
    ['stored', one({ method: 0 })],
    ['an additional empty file', zipBytes([hello, { name: 'empty' }]), { ...isHello, empty: '' }],
    ['an empty stored file', zipBytes([{ name: 'empty', method: 0 }]), { empty: '' }],
    ['folders', zipBytes([{ name: './', mode: 0o040755 }, { name: 'a/', mode: 0o040755 }, hello])],
    ['a folder without a mode', zipBytes([{ name: 'a/', mode: 0 }, withoutMode])],
    ['a comment', zipBytes([hello], { comment: 'made by hand' })],
    ['sizes after the data', one({ ...follows, behind: descriptor })],
    ['zip64 at the end', zipBytes([hello], { zip64Count: 1n })],
    ['zip64 in the entry', one({ ...both32, method: 0, extra: zip64, localExtra: zip64 })],
    ['a name in NFD', one({ name: 'cafe\u0301' }), { 'caf\u00e9': 'Hello' }],
    ['a UTF-8 name without the UTF-8 flag', one({ name: 'é', flags: 0 }), { é: 'Hello' }],
    ['a name in code page 437', one({ name: Buffer.from([0x81]), flags: 0 }), { ü: 'Hello' }],
    [
      'a small file with a high compression ratio',
      zipBytes([{ name: 'a', content: Buffer.alloc(900_000, 'a') }]),
      expect.anything(),
    ],
    ['a path that starts with ./', one({ name: './index.html' })],
    [
      'a 2 MB file compressed 100 to 1',
      zipBytes([
        { name: 'a', content: '0123456789abcdef'.repeat(8).padEnd(2000, 'x!').repeat(1000) },
        { name: 'noise', method: 0, content: 'n'.repeat(20_000) },
      ]),
      expect.anything(),
    ],
  ])('with %s', async (_, bytes, expected: unknown = isHello) => {
    expect(await contentOf(bytes, 'zip')).toEqual(expected)
  })
})

describe('a gzipped tar', () => {
  const gnu = 'ustar  \0'
  const tar = (...parts: Buffer[]) => tarGz(...parts, tarEnd)
  /** The file, as these fields describe it. */
  const file = (fields: Partial<TarPart>) => tarPart({ ...hello, ...fields })
  const long = `${'a'.repeat(120)}/${'b'.repeat(120)}/index.html`
  const part = tarPart(hello)

  it.each([
    ['ustar', tar(part)],
    ['GNU', tar(file({ magic: gnu }))],
    ['GNU times in the POSIX prefix field', tar(file({ magic: gnu, prefix: '14000000000' }))],
    ['the old format without a magic value', tar(file({ magic: '\0', type: '\0' }))],
    ['the old notation of a folder', tar(tarPart({ name: 'a/', type: '\0' }), part)],
    ['a contiguous file', tar(file({ type: '7' }))],
    ['a prefix', tar(file({ prefix: 'a/b' })), { 'a/b/index.html': 'Hello' }],
    [
      'a separate folder entry',
      tar(tarPart({ name: './', type: '5' }), file({ name: './index.html' })),
    ],
    ['a long GNU name', tar(longNamePart(long), part), { [long]: 'Hello' }],
    ['a long pax name', tar(paxPart({ path: long }), part), { [long]: 'Hello' }],
    [
      'a pax name that overrides a GNU name',
      tar(longNamePart('no'), paxPart({ path: 'yes' }), part),
      { yes: 'Hello' },
    ],
    ['a pax size', tar(paxPart({ size: '5' }), file({ size: 0 }))],
    [
      'a pax header without relevant records',
      tar(paxPart({ mtime: '1.5', 'SCHILY.xattr.user.é': '\0=\n' }), part),
    ],
    [
      'an empty pax header',
      tar(
        tarPart({ name: 'x', type: 'x' }),
        part,
        tarPart({ name: 'b', content: 'x'.repeat(700) }),
      ),
      { ...isHello, b: 'x'.repeat(700) },
    ],
    ["git's global header", tar(paxPart({ comment: 'a'.repeat(40) }, 'g'), part)],
    ['a binary size', tar(file({ size: Buffer.from([0x80, ...Array(10).fill(0), 5]) }))],
    ['a size followed by spaces', tar(file({ size: '          5 ' }))],
    ['an empty file', tar(part, tarPart({ name: 'empty' })), { ...isHello, empty: '' }],
    [
      'a file of exactly one block',
      tar(tarPart({ name: 'a', content: 'x'.repeat(512) })),
      { a: 'x'.repeat(512) },
    ],
    ['more zero blocks than needed', tar(part, Buffer.alloc(9000))],
    [
      'several members',
      Buffer.concat([
        gzipSync(part.subarray(0, 300)),
        gzipSync(part.subarray(300)),
        gzipSync(tarEnd),
      ]),
    ],
    ['zeros after the gzip data', Buffer.concat([tar(part), Buffer.alloc(100)])],
  ])('with %s', async (_, bytes, expected: unknown = isHello) => {
    expect(await contentOf(bytes, 'tar.gz')).toEqual(expected)
  })
})

describe('readArchive', () => {
  const extras = [
    { name: '__MACOSX/._index.html', content: 'x' },
    { name: 'site/.git/HEAD', content: 'x' },
    { name: 'site/.env', content: 'SECRET=1' },
    { name: 'site/.well-known/a', content: 'x' },
  ]

  it.each([
    [
      'zip' as const,
      zipBytes([...extras, { name: 'site/.git/link', content: '/', mode: 0o120777 }]),
    ],
    [
      'tar.gz' as const,
      tarGz(...extras.map(tarPart), tarPart({ name: 'site/.git/link', type: '2' }), tarEnd),
    ],
  ])('says what it passed over in a %s', async (form, bytes) => {
    const { files, passedOver } = await readWhole(bytes, form)
    expect(files.map(({ path }) => path)).toEqual(['site/.well-known/a'])
    expect(passedOver).toEqual([
      '__MACOSX/._index.html',
      'site/.git/HEAD',
      'site/.env',
      'site/.git/link',
    ])
  })

  it.each([
    ['zip' as const, zipBytes([hello, { name: 'b' }])],
    ['tar.gz' as const, tarGz(tarPart(hello), tarPart({ name: 'b' }), tarEnd)],
  ])('leaves the descriptor of a %s open, also when stopped half-way', async (form, bytes) => {
    const fd = openUnlinked(bytes)
    for await (const file of readArchive(fd, form, testLimits)) {
      expect(file.path).toBe('index.html')
      break
    }
    expect(await Array.fromAsync(readArchive(fd, form, testLimits))).toHaveLength(2)
    expect(fstatSync(fd).size).toBe(bytes.length)
    closeSync(fd)
  })

  it('names the invalid entry, with hidden characters made visible', async () => {
    const bytes = zipBytes([hello, { name: 'a\x1b[31m.html' }])
    await expect(readWhole(bytes, 'zip')).rejects.toMatchObject({
      name: 'DeployFailure',
      message: 'The name contains a control character.',
      file: 'a\\u{1b}[31m.html',
    })
  })

  it.each(['zip' as const, 'tar.gz' as const])(
    'does not report a disk error as an error in a %s',
    async (form) => {
      const fd = openUnlinked(Buffer.from('PK'))
      const archive = readArchive(fd, form, testLimits)
      closeSync(fd)
      await expect(archive.next()).rejects.toMatchObject({ code: 'EBADF' })
    },
  )

  it('respects the given limits', async () => {
    const limits = { files: 2, entries: 3, bytes: 10, fileBytes: 5 }
    const parts = ['a', 'b'].map((name) => ({ name, content: '12345' }))
    const folder = { name: 'c/', mode: 0o040755 }
    expect((await readWhole(zipBytes([...parts, folder]), 'zip', limits)).files).toHaveLength(2)
    for (const [bad, what] of [
      [[...parts, { name: 'c' }], /more than 2 files/],
      [[{ name: 'c', content: '123456' }], /larger than 5 bytes/],
      [[folder, folder, folder, { name: 'a' }], /more than 3 entries/],
    ] as const) {
      await expect(readWhole(zipBytes(bad), 'zip', limits)).rejects.toThrow(what)
    }
  })

  it('returns no content of a truncated file', async () => {
    const bytes = tarGz(tarPart({ name: 'a', content: 'x'.repeat(600) }).subarray(0, 1000))
    const fd = openUnlinked(bytes)
    await expect(readArchive(fd, 'tar.gz', testLimits).next()).rejects.toThrow(/incomplete/)
    closeSync(fd)
  })

  it('extracts no more of a file than its declared size', async () => {
    const part = deflateRawSync(Buffer.alloc(10_000_000), { finishFlush: constants.Z_FULL_FLUSH })
    const packed = Buffer.concat([...Array.from({ length: 50 }, () => part), deflateRawSync('')])
    const before = process.memoryUsage().rss
    const bytes = zipBytes([{ name: 'a', packed, size: 500_000 }])
    await expect(readWhole(bytes, 'zip')).rejects.toThrow(/larger than declared/)
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000)
  })
})

it.each([
  ['a ZIP', zipBytes([{ name: 'a' }]), 'zip'],
  ['a ZIP without entries', zipBytes([]), 'zip'],
  ['a gzip', gzipSync('x'), 'tar.gz'],
  ['nothing', Buffer.alloc(0), undefined],
  ['one byte', Buffer.from([0x1f]), undefined],
  ['a page', Buffer.from('<!doctype html>'), undefined],
  ['the second part of a ZIP', Buffer.from('PK\x07\x08'), undefined],
  ['a gzip with an unknown method', Buffer.from([0x1f, 0x8b, 7]), undefined],
  ['7z', Buffer.from('7z\xbc\xaf', 'latin1'), undefined],
])('recognizes %s', (_, bytes, form) => {
  expect(archiveForm(bytes.subarray(0, 4))).toBe(form)
})

it.each([
  ['one folder around everything', ['site/index.html', 'site/a/b.css'], ['index.html', 'a/b.css']],
  ['a single file', ['site/index.html'], ['index.html']],
  ['only the first of two levels', ['a/b/x', 'a/b/y'], ['b/x', 'b/y']],
  ['no folder, with a file at the root', ['site/a', 'index.html'], ['site/a', 'index.html']],
  ['no folder, with two folders at the root', ['a/x', 'b/x'], ['a/x', 'b/x']],
  ['no folder, with names that share a prefix', ['site/a', 'site2/a'], ['site/a', 'site2/a']],
  ['no hidden folder', ['.well-known/a', '.well-known/b'], ['.well-known/a', '.well-known/b']],
  ['no folder, without files', [], []],
])('cuts %s', (_, paths, expected) => {
  expect(withoutCommonFolder(paths)).toEqual(expected)
})

it.each([
  ['__MACOSX/._index.html', true],
  ['a/.DS_Store', true],
  ['node_modules/a/index.js', true],
  ['Thumbs.db', true],
  ['a/Desktop.ini', true],
  ['.git/config', true],
  ['site/.git', true],
  ['.env', true],
  ['a/.env.production', true],
  ['.htpasswd', true],
  ['.ssh/known_hosts', true],
  ['a/id_ed25519', true],
  ['._style.css', true],
  ['.well-known/security.txt', false],
  ['.nojekyll', false],
  ['.github/a.md', false],
  ['git/index.html', false],
  ['environment.env', false],
  ['.environment', false],
  ['id_rsa.html', false],
])('ignores %s: %s', (path, isLeftOut) => {
  expect(isIgnoredFile(path)).toBe(isLeftOut)
})
