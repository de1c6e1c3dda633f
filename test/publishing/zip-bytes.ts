// Creates ZIP archives byte by byte, so that each field can be wrong.

import { crc32, deflateRawSync } from 'node:zlib'

export interface ZipPart {
  name: string | Buffer
  content?: Buffer | string
  /** Fields of the local header, if they differ. */
  localName?: string | Buffer
  localFlags?: number
  localMethod?: number
  localCrc?: number
  localSize?: number
  localExtra?: Buffer
  /** The compressed data, by default of `content`. */
  packed?: Buffer
  method?: number
  flags?: number
  crc?: number
  size?: number
  packedSize?: number
  /** The Unix mode, type included. */
  mode?: number
  extra?: Buffer
  /** Writes no local entry: the directory points to this offset instead. */
  offset?: number
  /** After the data, as a data descriptor is. */
  behind?: Buffer
}

export interface ZipEnd {
  count?: number
  comment?: string
  disk?: number
  directoryOffset?: number
  /** Creates a zip64 end with this count. */
  zip64Count?: bigint
  zip64Offset?: bigint
}

export function zipBytes(parts: readonly ZipPart[], end: ZipEnd = {}): Buffer {
  const locals: Buffer[] = []
  const directory: Buffer[] = []
  let position = 0
  for (const part of parts) {
    const local = part.offset === undefined ? localEntry(part) : Buffer.alloc(0)
    directory.push(directoryEntry(part, part.offset ?? position))
    locals.push(local)
    position += local.length
  }
  const listed = Buffer.concat(directory)
  const tail = endOf(parts.length, position, listed.length, end)
  return Buffer.concat([...locals, listed, ...tail])
}

/** An extra field of a header. */
export function extraField(id: number, data: Buffer): Buffer {
  return Buffer.concat([u16(id), u16(data.length), data])
}

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(value)
  return bytes
}

export function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

export function u64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(value)
  return bytes
}

function fieldsOf(part: ZipPart) {
  const content = Buffer.from(part.content ?? '')
  const method = part.method ?? 8
  const packed = part.packed ?? (method === 8 ? deflateRawSync(content) : content)
  return {
    name: Buffer.from(part.name),
    packed,
    method,
    flags: part.flags ?? 0x800,
    crc: part.crc ?? crc32(content),
    size: part.size ?? content.length,
    packedSize: part.packedSize ?? packed.length,
    extra: part.extra ?? Buffer.alloc(0),
  }
}

/** An entry as it is in the archive: header, data, and `behind`. */
export function localEntry(part: ZipPart): Buffer {
  const fields = fieldsOf(part)
  const name = Buffer.from(part.localName ?? part.name)
  const extra = part.localExtra ?? Buffer.alloc(0)
  return Buffer.concat([
    ...[Buffer.from('PK\x03\x04'), u16(20), u16(part.localFlags ?? fields.flags)],
    ...[u16(part.localMethod ?? fields.method), u32(0), u32(part.localCrc ?? fields.crc)],
    ...[u32(fields.packedSize), u32(part.localSize ?? fields.size)],
    ...[u16(name.length), u16(extra.length), name, extra, fields.packed],
    part.behind ?? Buffer.alloc(0),
  ])
}

function directoryEntry(part: ZipPart, offset: number): Buffer {
  const fields = fieldsOf(part)
  return Buffer.concat([
    ...[Buffer.from('PK\x01\x02'), u16(0x031e), u16(20), u16(fields.flags), u16(fields.method)],
    ...[u32(0), u32(fields.crc), u32(fields.packedSize), u32(fields.size)],
    ...[u16(fields.name.length), u16(fields.extra.length), u16(0), u16(0), u16(0)],
    ...[u32(((part.mode ?? 0o100644) << 16) >>> 0), u32(offset), fields.name, fields.extra],
  ])
}

function endOf(count: number, offset: number, length: number, end: ZipEnd): Buffer[] {
  const tail: Buffer[] = []
  if (end.zip64Count !== undefined) {
    const start = BigInt(offset + length)
    tail.push(Buffer.from('PK\x06\x06'), u64(44n), u16(45), u16(45), u32(end.disk ?? 0), u32(0))
    tail.push(u64(end.zip64Count), u64(end.zip64Count), u64(BigInt(length)))
    tail.push(u64(BigInt(end.directoryOffset ?? offset)))
    tail.push(Buffer.from('PK\x06\x07'), u32(0), u64(end.zip64Offset ?? start), u32(1))
  }
  const declared = end.zip64Count === undefined ? (end.count ?? count) : 0xffff
  tail.push(Buffer.from('PK\x05\x06'), u16(end.disk ?? 0), u16(0), u16(declared), u16(declared))
  tail.push(u32(length), u32(Math.min(end.directoryOffset ?? offset, 0xffffffff)))
  tail.push(u16(end.comment?.length ?? 0), Buffer.from(end.comment ?? ''))
  return tail
}
