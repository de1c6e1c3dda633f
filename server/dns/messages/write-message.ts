// Queries as bytes: one name, one type, class IN, EDNS(0) with a buffer size that avoids fragmentation (RFC 6891).
import { writeName } from './dns-name.ts'
import { numberOfType, type Question } from './exchange.ts'

const udpBufferBytes = 1232

interface QueryOptions {
  id?: number
  wantsRecursion: boolean
  isCheckingDisabled: boolean
  /** False for old servers that refuse EDNS. */
  hasEdns?: boolean
}

/** Undefined when the name is invalid. */
export function writeQuery(
  question: Question,
  { hasEdns = true, id = 0, isCheckingDisabled, wantsRecursion }: QueryOptions,
): Buffer | undefined {
  const name = writeName(question.name)
  if (!name) return undefined
  const header = Buffer.alloc(12)
  header.writeUInt16BE(id, 0)
  // RD, CD, and AD with RD, which asks whether the answer was validated (RFC 6840, section 5.7).
  const flags = (wantsRecursion ? 0x0120 : 0) | (isCheckingDisabled ? 0x0010 : 0)
  header.writeUInt16BE(flags, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(hasEdns ? 1 : 0, 10)
  const tail = Buffer.alloc(4)
  tail.writeUInt16BE(numberOfType(question.type), 0)
  tail.writeUInt16BE(1, 2)
  return Buffer.concat([header, name, tail, ...(hasEdns ? [opt()] : [])])
}

function opt(): Buffer {
  const record = Buffer.alloc(11)
  record.writeUInt16BE(41, 1)
  record.writeUInt16BE(udpBufferBytes, 3)
  return record
}
