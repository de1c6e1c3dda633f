// Cursors: opaque to clients, bound to the environment and the filter that they were made for. The checksum detects a cursor
// that was changed; it is no secret, and neither is the position.
import { crc32 } from 'node:zlib'
import { AppError } from '#kit/errors.ts'

/** A page that follows the id, or the one that ends before it. */
export interface Position {
  direction: 'after' | 'before'
  id: bigint
  /** Of a list in the order of names: the key of the name, before the id. */
  key?: string
}

/** `filter` is any text that is equal for equal filters. */
export function writeCursor({ direction, id, key }: Position, filter: string): string {
  const place = `${direction === 'after' ? 'a' : 'b'}${id.toString(36)}`
  const end = key === undefined ? '' : `.${key}`
  return Buffer.from(`${place}.${checksum(place + end, filter)}${end}`).toString('base64url')
}

/** What a cursor points at. Throws `invalid_cursor` for one that is damaged or was made for another filter. */
export function readPosition(cursor: string | undefined, filter: string): Position | undefined {
  if (cursor === undefined) return undefined
  const position = readCursor(cursor, filter)
  if (position) return position
  throw new AppError(
    'invalid_cursor',
    'cursor must come from a page with the same filter. Start again without it.',
    { details: [{ path: 'cursor', message: 'cursor is damaged or belongs to another filter.' }] },
  )
}

function readCursor(cursor: string, filter: string): Position | undefined {
  const [, sign, digits, key] =
    /^([ab])([0-9a-z]{1,11})\.[0-9a-z]+(?:\.(.*))?$/s.exec(
      Buffer.from(cursor, 'base64url').toString(),
    ) ?? []
  if (!sign || !digits) return undefined
  const position: Position = {
    direction: sign === 'a' ? 'after' : 'before',
    id: fromBase36(digits),
    ...(key !== undefined && { key }),
  }
  // Decoding passes over characters that do not belong there; only what we write is a cursor.
  return writeCursor(position, filter) === cursor ? position : undefined
}

function checksum(place: string, filter: string): string {
  return crc32(`${filter}\n${place}`).toString(36)
}

function fromBase36(digits: string): bigint {
  let value = 0n
  for (const digit of digits) value = value * 36n + BigInt(Number.parseInt(digit, 36))
  return value
}
