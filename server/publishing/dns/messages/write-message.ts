// A question as bytes: one name, one type, class IN, EDNS(0) with the buffer that passes every path
// unfragmented (RFC 6891; 1232 bytes).
import { writeName } from './dns-name.ts'
import { numberOfType, type Question } from './exchange.ts'

const udpBufferBytes = 1232

export interface QueryForm {
  id: number
  wantsRecursion: boolean
  isCheckingDisabled: boolean
  /** Some old servers refuse EDNS: they are asked without. */
  hasEdns: boolean
}

/** Undefined when the name cannot be written (longer than 255 bytes, a label longer than 63). */
export function writeQuery(question: Question, form: QueryForm): Buffer | undefined {
  const name = writeName(question.name)
  if (!name) return undefined
  const header = Buffer.alloc(12)
  header.writeUInt16BE(form.id, 0)
  // RD, CD, and AD with RD: "tell me whether it was validated" (RFC 6840, section 5.7).
  const flags = (form.wantsRecursion ? 0x0120 : 0) | (form.isCheckingDisabled ? 0x0010 : 0)
  header.writeUInt16BE(flags, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(form.hasEdns ? 1 : 0, 10)
  const tail = Buffer.alloc(4)
  tail.writeUInt16BE(numberOfType(question.type), 0)
  tail.writeUInt16BE(1, 2)
  return Buffer.concat([header, name, tail, ...(form.hasEdns ? [opt()] : [])])
}

function opt(): Buffer {
  const record = Buffer.alloc(11)
  record.writeUInt16BE(41, 1)
  record.writeUInt16BE(udpBufferBytes, 3)
  return record
}
