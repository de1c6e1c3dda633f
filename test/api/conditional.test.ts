// Conditional requests and content encodings: strong ETags, 304, gzip and brotli.
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { engines } from '../database.ts'
import { askRaw } from '../raw-connection.ts'
import { getRaw, port, serving, store } from './serving.ts'

describe.each(engines)('conditional requests and encodings on %s', (engine) => {
  serving(engine)

  const long = '/pets?limit=50'
  const short = '/pets?limit=2'

  const coded = (path: string, coding: string) => getRaw(path, { 'Accept-Encoding': coding })
  const etagOf = async (path: string) => String((await getRaw(path)).headers.etag)

  it.each([short, long, '/pets/1', '/pets?status=sold', '/openapi.json', '/openapi.yaml'])(
    'a strong, stable ETag, and 304 for it: %s',
    async (path) => {
      const { status, headers } = await getRaw(path)
      expect(status).toBe(200)
      expect(headers.etag).toMatch(/^"[\w-]{20,}"$/)
      expect(headers['cache-control']).toBe('private, no-cache')
      expect(headers.vary).toMatch(/\bAccept-Encoding\b/)
      expect(await etagOf(path)).toBe(headers.etag)
      for (const method of ['GET', 'HEAD']) {
        const again = await getRaw(path, { 'If-None-Match': String(headers.etag) }, method)
        expect(again.status).toBe(304)
        expect(again.headers).toMatchObject({
          etag: headers.etag,
          'cache-control': headers['cache-control'],
          vary: headers.vary,
          ...(headers.link ? { link: headers.link } : {}),
        })
        expect(Object.keys(again.headers)).not.toContain('content-type')
        expect(Number(again.headers['content-length'] ?? 0)).toBe(0)
      }
    },
  )

  it.each<[string, (etag: string) => string, number]>([
    ['it among others', (etag) => `"a", "b,c" ,${etag}`, 304],
    ['it, weak', (etag) => `W/${etag}`, 304],
    ['any', () => '*', 304],
    ['others', () => '"a", W/"b"', 200],
    ['part of it', (etag) => `${etag.slice(0, -2)}"`, 200],
    ['it without quotes', (etag) => etag.slice(1, -1), 200],
    ['nothing', () => '', 200],
    ['it in another coding', (etag) => `${etag.slice(0, -1)}-gzip"`, 200],
  ])('If-None-Match: %s', async (_, field, status) => {
    const field1 = field(await etagOf(long))
    expect((await getRaw(long, { 'If-None-Match': field1 })).status).toBe(status)
  })

  it('combines several If-None-Match headers into one list', async () => {
    const head = `Host: staging.localhost\r\nAuthorization: Bearer ${store.keys.staging}\r\n`
    const tags = `If-None-Match: "x"\r\nIf-None-Match: ${await etagOf(short)}\r\n`
    const text = `GET /v1${short} HTTP/1.1\r\n${head}${tags}\r\n`
    expect((await askRaw(port, text)).status).toBe(304)
  })

  it('does not turn an error into a 304', async () => {
    for (const path of ['/pets/999', '/none', '/pets?limit=0']) {
      expect((await getRaw(path, { 'If-None-Match': '*' })).status).toBeGreaterThanOrEqual(400)
    }
  })

  it('the ETag changes only when the page changes', async () => {
    const ask = (path: string) => store.ask(path)
    const [all, sold] = [
      (await ask('/pets')).headers.etag,
      (await ask('/pets?status=sold')).headers.etag,
    ]
    const created = await store.ask('/pets', { body: { name: 'New', categoryId: 1 } })
    const changed = await store.ask('/pets', { headers: { 'if-none-match': String(all) } })
    expect(changed.status).toBe(200)
    expect(changed.headers.etag).not.toBe(all)
    expect((await ask('/pets?status=sold')).headers.etag).toBe(sold)
    const { id } = created.json as { id: number }
    expect((await ask(`/pets/${id}`)).headers.etag).toBe(created.headers.etag)
  })

  it.each([
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
  ])('%s has the same page with its own ETag and length', async (coding, decode) => {
    const plain = await getRaw(long)
    for (let i = 0; i < 2; i++) {
      const response = await coded(long, coding)
      expect(response.headers['content-encoding']).toBe(coding)
      expect(response.body.length).toBe(Number(response.headers['content-length']))
      expect(response.body.length).toBeLessThan(plain.body.length)
      expect(decode(response.body).equals(plain.body)).toBe(true)
      expect(response.headers.etag).not.toBe(plain.headers.etag)
      expect(response.headers.link).toBe(plain.headers.link)
      const tag = { 'If-None-Match': String(response.headers.etag) }
      expect((await getRaw(long, { ...tag, 'Accept-Encoding': coding })).status).toBe(304)
      expect((await getRaw(long, tag)).status).toBe(200)
      const head = await getRaw(long, { 'Accept-Encoding': coding }, 'HEAD')
      expect(head.headers['content-length']).toBe(response.headers['content-length'])
      expect(head.headers.etag).toBe(response.headers.etag)
    }
  })

  it.each([
    ['br, gzip', 'br'],
    ['gzip, deflate, br, zstd', 'br'],
    ['GZIP', 'gzip'],
    ['gzip;q=1.0, br;q=0.5', 'gzip'],
    ['gzip;q=0.001', 'gzip'],
    ['*', 'br'],
    ['br;q=0, *', 'gzip'],
    ['deflate, zstd', undefined],
    ['gzip;q=0', undefined],
    ['identity', undefined],
    ['identity, gzip;q=0.5', undefined],
    ['', undefined],
  ])('Accept-Encoding: %s gets %s', async (field, coding) => {
    expect((await coded(long, field)).headers['content-encoding']).toBe(coding)
  })

  it('does not compress small responses', async () => {
    const { headers } = await coded(short, 'br, gzip')
    expect(headers['content-encoding']).toBeUndefined()
    expect(headers.vary).toMatch(/\bAccept-Encoding\b/)
  })
})
