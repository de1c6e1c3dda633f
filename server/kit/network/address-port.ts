// Addresses and ranges with a port, as the configuration has them: `192.0.2.1`, `192.0.2.1:5353`,
// `10.0.0.0/8:8080`, `[2001:db8::]/32:53`. An IPv6 address with a port is in brackets.
import { isIP } from 'node:net'
import { type AddressList, addressList } from './addresses.ts'

const form = /^(?:\[([\da-f:.]+)\]|([\d.]+|[\da-f:]*:[\da-f:.]*?))(\/\d{1,3})?(?::(\d{1,5}))?$/i

/**
 * Undefined for an invalid address, range or port. `range`: the slash and the bits, such as `/8`; empty for one address.
 */
export function readAddressPort(text: string) {
  const match = form.exec(text)
  const address = match?.[1] ?? match?.[2] ?? ''
  const range = match?.[3] ?? ''
  const port = match?.[4] === undefined ? undefined : Number(match[4])
  const family = isIP(address)
  if (family === 0 || Number(range.slice(1)) > (family === 4 ? 32 : 128)) return undefined
  return port === undefined || (port >= 1 && port <= 65_535) ? { address, range, port } : undefined
}

export type PortByAddress = ReturnType<typeof portByAddress>

/** Throws RangeError for an invalid entry. An entry without a port has `defaultPort`. */
export function portByAddress(entries: string[], defaultPort: number) {
  const lists = entries.map((entry): { list: AddressList; port: number } => {
    const read = readAddressPort(entry)
    if (!read) {
      throw new RangeError(
        `"${entry}" is no address or range with a port, such as 127.0.0.0/8:5353.`,
      )
    }
    return { list: addressList([read.address + read.range]), port: read.port ?? defaultPort }
  })
  return {
    /** The port of the first entry that contains the address. */
    portOf: (address: string) => lists.find(({ list }) => list.has(address))?.port,
  }
}
