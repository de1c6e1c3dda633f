// What is cached in memory: hot files are not read again, large files are never read as a whole, and no client can
// increase the memory.
// In npm test: test/sites/responses.test.ts.
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { each } from '#kit/database/database.ts'
import { prepareQuery } from '#publishing/database/tables.ts'
import { engines } from '../database.ts'
import { openRaw, requestText } from '../raw-connection.ts'
import { countReads } from './counted-reads.ts'
import { type SiteFiles, servePublishedSites } from './published-site.ts'

const megabyte = 1024 * 1024
const host = { Host: 'docs.docs.localhost' }

const loseBytes = prepareQuery()((db) => db.updateTable('files').set({ content: Buffer.alloc(1) }))

/** Bytes that cannot be compressed. */
function noise(length: number): Buffer {
  const words = new Uint32Array(Math.ceil(length / 4))
  let state = 42
  for (let i = 0; i < words.length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    words[i] = state ^ (state >>> 15)
  }
  return Buffer.from(words.buffer, 0, length)
}

/** Resolves with the headers of a response, before its body is read. */
async function begin(port: number, path: string, range?: string): Promise<IncomingMessage> {
  const headers = { ...host, ...(range !== undefined && { Range: range }) }
  const request = get({ host: '127.0.0.1', port, path, headers, agent: false })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  return response
}

/** Reads a large body, concatenated once at the end. */
async function finish(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

async function download(port: number, path: string, range?: string): Promise<Buffer> {
  return await finish(await begin(port, path, range))
}

describe.each(engines)('memory on %s', (engine) => {
  async function serve(files: SiteFiles, maxBytes?: number) {
    const reads = countReads()
    const sites = await servePublishedSites(engine, {
      between: reads.between,
      ...(maxBytes !== undefined && { maxBytes }),
    })
    onTestFinished(() => sites.release())
    await sites.publish('docs', files)
    return { sites, reads }
  }

  it('a hot file is not looked up or read again', async () => {
    const { sites, reads } = await serve({ 'index.html': 'Front', 'a.html': 'A' })
    await sites.ask('/')
    await sites.ask('/a')
    const before = reads.all
    for (const target of ['/', '/a', '/?q', '/%61', '/a?b=c']) await sites.ask(target)
    // PostgreSQL is asked for the version each time, SQLite only after a write.
    expect(reads.all - before).toBe(engine === 'postgres' ? 5 : 0)
    expect(reads.contents).toEqual([5, 1])
  })

  it('the files of a former deploy make room for those of others at once', async () => {
    const { sites, reads } = await serve({ 'index.html': noise(10_000) }, 40_000)
    await sites.ask('/')
    for (let i = 1; i <= 5; i++) {
      await sites.publish('other', { 'index.html': noise(10_000 + i) })
      await sites.ask('/', { slug: 'other' })
    }
    await sites.ask('/')
    expect(reads.contents).toEqual([10_000, 10_001, 10_002, 10_003, 10_004, 10_005])
  })

  it('fifty requests for one uncached file read it once', async () => {
    const { sites, reads } = await serve({ 'index.html': noise(100_000) })
    const answers = await Promise.all(Array.from({ length: 50 }, () => sites.ask('/')))
    expect(answers.every(({ body }) => body.length === 100_000)).toBe(true)
    expect(reads.contents).toEqual([100_000])
    expect(reads.found).toBe(1)
  })

  it('requests that need no content do not read it', async () => {
    const { sites, reads } = await serve({ 'index.html': 'Front' })
    await sites.ask('/', { method: 'HEAD' })
    await sites.ask('/', { headers: { 'If-None-Match': '*' } })
    await sites.ask('/', { headers: { 'If-Match': '"x"' } })
    await sites.ask('/', { headers: { Range: 'bytes=9-' } })
    expect(reads.contents).toEqual([])
  })

  it('missing files evict nothing', async () => {
    const { sites, reads } = await serve({ 'index.html': 'Front', '404.html': 'Lost' }, 8_000)
    await sites.ask('/')
    await sites.ask('/none')
    for (let i = 0; i < 200; i++) await sites.ask(`/${i}`)
    await sites.ask('/')
    expect(reads.contents).toEqual([5, 4])
  })

  it('keeps to its limit and serves all files', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 12 }, (_, i) => [`${i}.bin`, noise(50_000).subarray(i)]),
    )
    const { sites, reads } = await serve(files, 200_000)
    const check = async (i: number): Promise<void> => {
      const { body } = await sites.ask(`/${i}.bin`)
      expect(body.equals(files[`${i}.bin`] as Buffer)).toBe(true)
    }
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < 12; i++) {
        await check(i)
        await check(0)
      }
    }
    // The file that was requested all the time was read once; the others were read again.
    expect(reads.contents.filter((length) => length === 50_000)).toHaveLength(1)
    expect(reads.contents.length).toBeGreaterThan(20)
  })

  it('a file of some megabytes is cached, and every range is right', async () => {
    const content = noise(3 * megabyte + 17)
    const { sites, reads } = await serve({ 'some.bin': content })
    for (let i = 0; i < 2; i++) {
      expect((await sites.ask('/some.bin')).body.equals(content)).toBe(true)
      const headers = { Range: `bytes=${megabyte - 5}-${3 * megabyte}` }
      const part = await sites.ask('/some.bin', { headers })
      expect(part.body.equals(content.subarray(megabyte - 5, 3 * megabyte + 1))).toBe(true)
    }
    expect(reads.contents).toEqual([content.length])
  })

  it('a file that is evicted while it is sent is sent completely', async () => {
    const content = noise(5 * megabyte)
    const { sites } = await serve({ 'some.bin': content }, megabyte)
    const four = Array.from({ length: 4 }, () => download(sites.port, '/some.bin'))
    expect((await Promise.all(four)).every((body) => body.equals(content))).toBe(true)
  })

  describe('a large file', () => {
    const content = noise(16 * megabyte + 5)
    const large = () => serve({ 'large.bin': content, 'index.html': 'Front' })

    it('is sent in pieces, also for ranges, and never cached', async () => {
      const { sites, reads } = await large()
      expect((await download(sites.port, '/large.bin')).equals(content)).toBe(true)
      const part = await download(sites.port, '/large.bin', 'bytes=9000000-13000000')
      expect(part.equals(content.subarray(9_000_000, 13_000_001))).toBe(true)
      const one = await sites.ask('/large.bin', { headers: { Range: 'bytes=-1' } })
      expect(one.body.equals(content.subarray(-1))).toBe(true)
      expect(reads.contents.at(-1)).toBe(1)
      expect(Math.max(...reads.contents)).toBeLessThan(1.1 * megabyte)
      const before = reads.contents.length
      await download(sites.port, '/large.bin')
      expect(reads.contents.length - before).toBe(16)
      const head = await sites.ask('/large.bin', { method: 'HEAD' })
      expect(head.headers['content-length']).toBe(String(content.length))
      expect(reads.contents.length - before).toBe(16)
    })

    /** Sends requests and reads only the first bytes of the response. */
    async function openUnread(port: number, text: string): Promise<Socket> {
      const socket = connect(port, '127.0.0.1')
      onTestFinished(() => void socket.destroy())
      await once(socket, 'connect')
      socket.write(text)
      await once(socket, 'readable')
      return socket
    }

    /** The number of pieces that were read, once no more are. */
    async function settled({ sites, reads }: Awaited<ReturnType<typeof large>>): Promise<number> {
      for (let before = -1; before !== reads.contents.length; ) {
        before = reads.contents.length
        for (let i = 0; i < 100; i++) await sites.ask('/', { method: 'HEAD' })
      }
      return reads.contents.length
    }

    // Only the operating system's buffers can be in flight: well under 16 MB.
    it('is not read further for a client that does not read or has disconnected', async () => {
      const served = await large()
      const socket = await openUnread(served.sites.port, requestText('GET', '/large.bin', host))
      expect(await settled(served)).toBeLessThan(14)
      socket.destroy()
      await once(socket, 'close')
      expect(await settled(served)).toBeLessThan(14)
    })

    it('is read for one response of a connection at a time', async () => {
      const served = await large()
      const part = requestText('GET', '/large.bin', { ...host, Range: 'bytes=0-999999' })
      await openUnread(served.sites.port, part.repeat(40))
      expect(await settled(served)).toBeLessThan(20)
      const connection = await openRaw(served.sites.port)
      onTestFinished(() => connection.close())
      connection.write(part.repeat(3))
      for (let i = 0; i < 3; i++) {
        expect((await connection.response())?.body.equals(content.subarray(0, 1_000_000))).toBe(
          true,
        )
      }
    })

    it('does not block small ones', async () => {
      const { sites } = await large()
      await sites.ask('/')
      let isReading = true
      const many = Array.from({ length: 2 }, () => download(sites.port, '/large.bin'))
      const all = Promise.all(many).then((bodies) => {
        isReading = false
        expect(bodies.every((body) => body.equals(content))).toBe(true)
      })
      let small = 0
      while (isReading) {
        expect((await sites.ask('/')).text).toBe('Front')
        small++
      }
      await all
      expect(small).toBeGreaterThan(10)
    })
  })

  it('a file without its content is a 503 or a closed connection, never a wrong length', async () => {
    const { sites } = await serve({ 'large.bin': noise(16 * megabyte), 'small.txt': 'small' })
    await sites.ask('/large.bin', { method: 'HEAD' })
    await sites.ask('/small.txt', { method: 'HEAD' })
    const lose = each(async (session) => void (await session.all(loseBytes, {})))
    const begun = await begin(sites.port, '/large.bin')
    await sites.database.write(lose, undefined)
    expect(begun.statusCode).toBe(200)
    await expect(finish(begun)).rejects.toThrow('aborted')
    expect((await sites.ask('/large.bin')).status).toBe(503)
    expect((await sites.ask('/small.txt')).status).toBe(503)
  })
})
