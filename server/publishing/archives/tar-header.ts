// One header block of a tar archive: ustar and pax (POSIX.1-2017, pax), GNU's own, and the old one that has
// no mark. Read to the letter; what another program could read otherwise is refused.

export const blockBytes = 512

export interface TarHeader {
  /** As the block has it, decoded as UTF-8; U+FFFD stands where it was not. */
  name: string
  /** One character; NUL in the oldest archives means '0', a regular file. */
  type: string
  /** Of the content that follows, in bytes, without its padding. */
  size: number
}

/** The header, or a sentence about what is wrong with it. `block` has 512 bytes. */
export function parseTarHeader(block: Uint8Array): TarHeader | { refused: string } {
  if (numberAt(block, 148, 8) !== checksumOf(block)) {
    return { refused: 'The archive is damaged: the checksum of a header is wrong.' }
  }
  const magic = asLatin1(block.subarray(257, 265))
  const isPosix = magic.startsWith('ustar\0')
  if (!isPosix && magic !== 'ustar  \0' && magic !== '\0'.repeat(8)) {
    return { refused: 'The archive is of a kind of tar that we do not read.' }
  }
  const size = numberAt(block, 124, 12)
  if (size === undefined)
    return { refused: 'The archive is damaged: the size of a file is no number.' }
  const prefix = isPosix ? textAt(block, 345, 155) : ''
  const name = textAt(block, 0, 100)
  const type = asLatin1(block.subarray(156, 157))
  return { name: prefix === '' ? name : `${prefix}/${name}`, type, size }
}

export function isZeroBlock(block: Uint8Array): boolean {
  return block.every((byte) => byte === 0)
}

function checksumOf(block: Uint8Array): number {
  let sum = 0
  // The checksum itself counts as eight spaces.
  for (const [at, byte] of block.entries()) sum += at >= 148 && at < 156 ? 0x20 : byte
  return sum
}

/** Octal digits between spaces and NULs, or GNU's big-endian binary behind 0x80. */
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

function asLatin1(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1')
}
