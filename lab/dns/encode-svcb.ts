// HTTPS records (RFC 9460), which dns-packet does not know: their data as bytes, from the form of a zone file.
import { isIPv4, isIPv6 } from 'node:net'

/** The type's name in dns-packet. */
export const httpsOnWire = 'UNKNOWN_65'

interface SvcbData {
  priority: number
  target: string
  parameters: string
}

/** Section 14.3.2; `ech` and `mandatory` are left out. */
const keys = { alpn: 1, 'no-default-alpn': 2, port: 3, ipv4hint: 4, ipv6hint: 6 } as const
type Key = keyof typeof keys

/** Section 2.2. Throws a RangeError for parameters that cannot be encoded. */
export function encodeSvcb({ parameters, priority, target }: SvcbData): Buffer {
  const encoded = readParameters(parameters)
    .toSorted(([a], [b]) => keys[a] - keys[b])
    .map(([key, value]) => {
      const data = encodeValue(key, value)
      return Buffer.concat([twoBytes(keys[key]), twoBytes(data.length), data])
    })
  return Buffer.concat([twoBytes(priority), encodeName(target), ...encoded])
}

function readParameters(text: string): [Key, string][] {
  const parts = text.split(/\s+/).filter((part) => part !== '')
  return parts.map((part) => {
    const [name = '', value = ''] = part.split('=', 2)
    if (!(name in keys)) throw new RangeError(`${name} is not a parameter that the lab knows.`)
    return [name as Key, value.replaceAll('"', '')]
  })
}

function encodeValue(key: Key, value: string): Buffer {
  const parts = value.split(',')
  if (key === 'no-default-alpn') return Buffer.alloc(0)
  if (key === 'port' && /^\d{1,5}$/.test(value)) return twoBytes(Number(value))
  if (key === 'alpn' && parts.every((part) => /^[\w./-]{1,32}$/.test(part)))
    return Buffer.concat(parts.map((part) => Buffer.from([part.length, ...Buffer.from(part)])))
  if (key === 'ipv4hint' && parts.every(isIPv4))
    return Buffer.from(parts.flatMap((part) => part.split('.').map(Number)))
  if (key === 'ipv6hint' && parts.every(isIPv6)) return Buffer.concat(parts.map(encodeIpv6))
  throw new RangeError(`${key} has a value that cannot be encoded.`)
}

function encodeIpv6(address: string): Buffer {
  const [head = '', tail] = address.split('::')
  const groups = (text: string) => (text === '' ? [] : text.split(':'))
  const [before, after] = [groups(head), groups(tail ?? '')]
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0')
  return Buffer.concat(
    [...before, ...zeros, ...after].map((group) => twoBytes(Number.parseInt(group, 16))),
  )
}

function encodeName(name: string): Buffer {
  const labels = name === '' ? [] : name.split('.')
  return Buffer.concat([
    ...labels.map((label) => Buffer.from([label.length, ...Buffer.from(label)])),
    Buffer.from([0]),
  ])
}

function twoBytes(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return bytes
}
