// Creates tar archives byte by byte, so that each field can be wrong.

import { gzipSync } from 'node:zlib'

export interface TarPart {
  name: string | Buffer
  content?: Buffer | string
  type?: string
  size?: number | string | Buffer
  prefix?: string
  /** POSIX's by default; GNU's is "ustar  \0". */
  magic?: string
  checksum?: string
  link?: string
}

/** The two blocks of zeros that end an archive. */
export const tarEnd = Buffer.alloc(1024)

/** A header and its content, padded to full blocks. */
export function tarPart(part: TarPart): Buffer {
  const content = Buffer.from(part.content ?? '')
  return Buffer.concat([tarHeader(part, content.length), padded(content)])
}

/** Only a header; `size` is the declared size. */
export function tarHeader(part: TarPart, size = 0): Buffer {
  const block = Buffer.alloc(512)
  const claimed = part.size ?? size
  Buffer.from(part.name).copy(block, 0, 0, 100)
  block.write('0000644\x000000000\x000000000\0', 100)
  if (typeof claimed === 'number') block.write(`${claimed.toString(8).padStart(11, '0')}\0`, 124)
  else Buffer.from(claimed).copy(block, 124, 0, 12)
  block.write('00000000000\0        ', 136)
  block.write(part.type ?? '0', 156)
  block.write(part.link ?? '', 157)
  block.write(part.magic ?? 'ustar\x0000', 257)
  block.write(part.prefix ?? '', 345)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(part.checksum ?? `${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}

/** A pax header with these records. */
export function paxPart(records: Record<string, string | Buffer>, type: 'x' | 'g' = 'x'): Buffer {
  const content = Object.entries(records).map(([key, value]) => paxRecord(key, value))
  return tarPart({ name: 'PaxHeaders/x', type, content: Buffer.concat(content) })
}

/** GNU's header for a long name. */
export function longNamePart(name: string): Buffer {
  return tarPart({ name: '././@LongLink', type: 'L', magic: 'ustar  \0', content: `${name}\0` })
}

export function tarGz(...parts: readonly Buffer[]): Buffer {
  return gzipSync(Buffer.concat(parts))
}

function paxRecord(key: string, value: string | Buffer): Buffer {
  const rest = Buffer.concat([Buffer.from(` ${key}=`), Buffer.from(value), Buffer.from('\n')])
  let length = rest.length
  while (length !== rest.length + String(length).length)
    length = rest.length + String(length).length
  return Buffer.concat([Buffer.from(String(length)), rest])
}

function padded(content: Buffer): Buffer {
  return Buffer.concat([content, Buffer.alloc((512 - (content.length % 512)) % 512)])
}
