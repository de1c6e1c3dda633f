// Addresses that may be asked besides public ones, and at which port: for labs, tests and private networks.
import { type AddressList, addressList } from '../../platform/http/addresses.ts'

export interface PortByAddress {
  /** The port of the first entry that has the address; undefined when none has. */
  portOf(address: string): number | undefined
}

/** Entries such as `127.0.0.0/8:8080` or `[fd00::]/8`; checked by the configuration's schema before. */
export function portByAddress(entries: string[], usualPort: number): PortByAddress {
  const lists: { list: AddressList; port: number }[] = entries.map((entry) => {
    const match = /^(?:\[([^\]]+)\]|([\d.]+|[\da-f:.]*?))(\/\d+)?(?::(\d+))?$/i.exec(entry)
    const [, bracketed, plain, bits = '', port] = match ?? []
    const address = bracketed ?? plain ?? ''
    return { list: addressList([address + bits]), port: Number(port ?? usualPort) }
  })
  return { portOf: (address) => lists.find(({ list }) => list.has(address))?.port }
}
