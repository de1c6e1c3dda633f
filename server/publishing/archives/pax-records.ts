// The records of a pax extended header: "28 mtime=1350244992.023960108\n", the number being the length of
// the whole record in bytes (POSIX.1-2017, pax Extended Header).

/** Undefined when they are not well-formed. Of a keyword that comes twice the later one holds. */
export function parsePaxRecords(bytes: Uint8Array): Map<string, string> | undefined {
  const records = new Map<string, string>()
  const text = Buffer.from(bytes)
  for (let at = 0; at < text.length; ) {
    const space = text.indexOf(0x20, at)
    const digits = text.subarray(at, space).toString('latin1')
    if (space === -1 || !/^[1-9][0-9]{0,7}$/.test(digits)) return undefined
    const end = at + Number(digits)
    const equals = text.indexOf(0x3d, space)
    if (text[end - 1] !== 0x0a) return undefined
    if (equals <= space + 1 || equals >= end) return undefined
    const keyword = text.subarray(space + 1, equals).toString('utf8')
    records.set(keyword, text.subarray(equals + 1, end - 1).toString('utf8'))
    at = end
  }
  return records
}
