// The entries of a tar archive: ustar, pax (POSIX.1-2017) and GNU headers, and the old format without a magic
// number. Headers are parsed strictly; headers that other programs could read differently are rejected.

import { DeployFailure } from '#renderer/site-files/site-file.ts'
import type { PulledBytes } from './archive-bytes.ts'

/** Larger than any real header of a file, including extended attributes. */
const maxExtensionBytes = 1024 * 1024
const maxExtensionsInARow = 8

/** The extended headers before an entry. */
interface Extensions {
  count: number
  longName?: string
  pax?: Map<string, string>
}

/**
 * Each entry is returned before its content: the caller must take or skip exactly `paddedBytes(size)` from `source`
 * before requesting the next entry. Throws a DeployFailure for an archive that is not a tar archive, is damaged, or
 * has data after its end.
 */
export async function* tarEntries(source: PulledBytes): AsyncGenerator<TarHeader> {
  let extensions: Extensions = { count: 0 }
  for (;;) {
    const block = await source.take(blockBytes)
    if (block.length < blockBytes) throw cutOff()
    if (isZeroBlock(block)) {
      if (extensions.count > 0) throw cutOff()
      return await refuseMore(source)
    }
    const header = parseTarHeader(block)
    if ('xgLK'.includes(header.type)) {
      extensions = await extended(extensions, header, source)
      continue
    }
    yield withExtensions(header, extensions)
    extensions = { count: 0 }
  }
}

/** The size of the content including the padding of its last block. */
export function paddedBytes(size: number): number {
  return Math.ceil(size / blockBytes) * blockBytes
}

export function cutOff(): DeployFailure {
  return new DeployFailure('The archive is incomplete: its end is missing.')
}

async function extended(
  before: Extensions,
  header: TarHeader,
  source: PulledBytes,
): Promise<Extensions> {
  const count = before.count + 1
  if (header.size > maxExtensionBytes) {
    throw new DeployFailure('The archive has a header of more than 1 MB about one file.')
  }
  if (count > maxExtensionsInARow) {
    throw new DeployFailure('The archive has too many headers about one file.')
  }
  const padded = await source.take(paddedBytes(header.size))
  if (padded.length < header.size) throw cutOff()
  const content = padded.subarray(0, header.size)
  if (header.type === 'L') return { ...before, count, longName: longName(content) }
  // The target of a link. Links are rejected later.
  if (header.type === 'K') return { ...before, count }
  const records = parsePaxRecords(content)
  if (header.type === 'x') return { ...before, count, pax: records }
  // Such as git's header with the commit. A name or size in it would apply to all files.
  if (['path', 'size'].some((key) => records.has(key)) || isSparse(records)) {
    throw new DeployFailure(
      'The archive has a global header that gives all files one name or size.',
    )
  }
  return { ...before, count }
}

function withExtensions(header: TarHeader, { longName, pax }: Extensions): TarHeader {
  const name = pax?.get('path') ?? longName ?? header.name
  if (pax === undefined) return { ...header, name }
  if (isSparse(pax)) return { ...header, name, type: 'S' }
  const size = pax.get('size') ?? String(header.size)
  if (!/^[0-9]{1,15}$/.test(size)) throw noSize()
  return { ...header, name, size: Number(size) }
}

/** GNU stores sparse files as a map and the data between the holes. */
function isSparse(pax: Map<string, string>): boolean {
  return pax.keys().some((key) => key.startsWith('GNU.sparse.'))
}

/** A NUL inside the name is kept, so that the name is rejected: programs disagree about what follows it. */
function longName(content: Uint8Array): string {
  return Buffer.from(content).toString('utf8').replace(/\0+$/, '')
}

/** The end marker is two blocks of zeros; programs may pad with more. */
async function refuseMore(source: PulledBytes): Promise<void> {
  for (let isFirst = true; ; isFirst = false) {
    const block = await source.take(blockBytes)
    if (isFirst && block.length < blockBytes) throw cutOff()
    if (block.length === 0) return
    if (!isZeroBlock(block)) {
      throw new DeployFailure('The archive is damaged: there is data after its end.')
    }
  }
}

/** If a keyword occurs twice, the last one applies. */
function parsePaxRecords(bytes: Uint8Array): Map<string, string> {
  const records = new Map<string, string>()
  const text = Buffer.from(bytes)
  for (let at = 0; at < text.length; ) {
    const space = text.indexOf(0x20, at)
    const digits = text.subarray(at, space).toString('latin1')
    const end = at + Number(digits)
    const equals = text.indexOf(0x3d, space)
    const isRecord =
      space !== -1 && /^[1-9][0-9]{0,7}$/.test(digits) && equals > space + 1 && equals < end
    if (!isRecord || text[end - 1] !== 0x0a)
      throw new DeployFailure('The archive is damaged: a pax header cannot be read.')
    const keyword = text.subarray(space + 1, equals).toString('utf8')
    records.set(keyword, text.subarray(equals + 1, end - 1).toString('utf8'))
    at = end
  }
  return records
}

const blockBytes = 512

interface TarHeader {
  /** As in the block, decoded as UTF-8, with U+FFFD for invalid bytes. */
  name: string
  /** One character; NUL in the oldest archives means '0', a regular file. */
  type: string
  /** Size of the content that follows, in bytes, without its padding. */
  size: number
}

/** `block` has 512 bytes. */
function parseTarHeader(block: Uint8Array): TarHeader {
  if (numberAt(block, 148, 8) !== checksumOf(block)) {
    throw new DeployFailure('The archive is damaged: the checksum of a header is wrong.')
  }
  const magic = asLatin1(block.subarray(257, 265))
  const isPosix = magic.startsWith('ustar\0')
  if (!isPosix && magic !== 'ustar  \0' && magic !== '\0'.repeat(8)) {
    throw new DeployFailure('This tar format is not supported.')
  }
  const size = numberAt(block, 124, 12)
  if (size === undefined) throw noSize()
  const prefix = isPosix ? textAt(block, 345, 155) : ''
  const name = textAt(block, 0, 100)
  const type = asLatin1(block.subarray(156, 157))
  return { name: prefix === '' ? name : `${prefix}/${name}`, type, size }
}

function isZeroBlock(block: Uint8Array): boolean {
  return block.every((byte) => byte === 0)
}

function checksumOf(block: Uint8Array): number {
  let sum = 0
  // The checksum itself counts as eight spaces.
  for (const [at, byte] of block.entries()) sum += at >= 148 && at < 156 ? 0x20 : byte
  return sum
}

/** Octal digits between spaces and NULs, or GNU's big-endian binary format after 0x80. */
function numberAt(block: Uint8Array, start: number, length: number): number | undefined {
  const field = block.subarray(start, start + length)
  if (field[0] === 0x80) {
    const value = BigInt(`0x${Buffer.from(field.subarray(1)).toString('hex')}`)
    return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : undefined
  }
  const digits = /^ *([0-7]*)[ \0]*$/.exec(asLatin1(field))?.[1]
  return digits === undefined ? undefined : Number.parseInt(digits || '0', 8)
}

function textAt(block: Uint8Array, start: number, length: number): string {
  const field = block.subarray(start, start + length)
  const end = field.indexOf(0)
  return Buffer.from(end === -1 ? field : field.subarray(0, end)).toString('utf8')
}

function noSize(): DeployFailure {
  return new DeployFailure('The archive is damaged: the size of a file is not a number.')
}

function asLatin1(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1')
}
