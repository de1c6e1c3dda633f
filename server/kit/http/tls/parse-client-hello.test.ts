import { Duplex } from 'node:stream'
import { connect } from 'node:tls'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../../../test/cases.ts'
import { maxHelloBytes, readClientHello } from './parse-client-hello.ts'

/** The client hello that node:tls sends. */
async function helloOf(servername: string, protocols?: string[]): Promise<Buffer> {
  const { promise, resolve } = Promise.withResolvers<Buffer>()
  const socket = new Duplex({ read() {}, write: (bytes) => resolve(bytes) })
  const client = connect({ socket, servername, ...(protocols && { ALPNProtocols: protocols }) })
  const bytes = await promise
  client.on('error', () => {}).destroy()
  return bytes
}

/** The same message in records of the given number of bytes. */
function inRecords(hello: Buffer, size: number): Buffer {
  const message = hello.subarray(5)
  const records: Buffer[] = []
  for (let at = 0; at < message.length; at += size) {
    const part = message.subarray(at, at + size)
    records.push(Buffer.from([22, 3, 1, part.length >> 8, part.length & 255]), part)
  }
  return Buffer.concat(records)
}

const bytes = await helloOf('Docs.Example.com.', ['h2', 'http/1.1'])

describe('a client hello', () => {
  it('returns host and protocols', async () => {
    const hello = {
      host: 'docs.example.com',
      serverName: 'Docs.Example.com.',
      protocols: ['h2', 'http/1.1'],
    }
    expect(readClientHello(bytes)).toEqual({ kind: 'hello', hello })
    expect(readClientHello(inRecords(bytes, 100))).toEqual({ kind: 'hello', hello })
    expect(readClientHello(Buffer.concat([bytes, Buffer.from('more')]))).toMatchObject({ hello })
    const bare = await helloOf('')
    expect(readClientHello(bare)).toMatchObject({ hello: { host: undefined, protocols: [] } })
  })

  it('asks for more bytes while it is incomplete, and for a larger number each time', () => {
    for (const whole of [bytes, inRecords(bytes, 100)]) {
      for (let end = 0; end < whole.length; end++) {
        const found = readClientHello(whole.subarray(0, end))
        expect(found.kind).toBe('more')
        if (found.kind === 'more') expect(found.bytes).toBeGreaterThan(end)
      }
    }
  })

  it('is invalid in a thousand records, when it is too long, and when it is malformed', () => {
    expect(readClientHello(inRecords(bytes, 1)).kind).toBe('bad')
    expect(readClientHello(Buffer.from([22, 3, 1, 0, 4, 1, 0, 64, 1])).kind).toBe('bad')
    expect(readClientHello(Buffer.from([22, 3, 1, 0, 4, 2, 0, 0, 1])).kind).toBe('bad')
    const broken = Buffer.from(bytes)
    const name = broken.indexOf('Docs')
    broken.writeUInt16BE(9999, name - 2)
    expect(readClientHello(broken).kind).toBe('bad')
  })

  it('reports other protocols as not TLS', () => {
    for (const text of ['GET / HTTP/1.1', 'SSH-2.0', '\x80\x2e\x01\x03\x01'])
      expect(readClientHello(Buffer.from(text, 'latin1')).kind).toBe('other')
  })

  it('never throws for random changes', () => {
    const changes = fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { maxLength: 20 })
    fc.assert(
      fc.property(changes, fc.nat(bytes.length), (changed, end) => {
        const copy = Buffer.from(bytes)
        for (const [at, value] of changed) copy[at] = value
        const found = readClientHello(copy.subarray(0, end))
        if (found.kind !== 'more') return
        expect(found.bytes).toBeGreaterThan(end)
        expect(found.bytes).toBeLessThan(3 * maxHelloBytes)
      }),
      { numRuns: runs(2000) },
    )
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 300 }),
        (junk) => void readClientHello(Buffer.from(junk)),
      ),
    )
  })
})
