// Logs at the lowest level contain no API key, body or query; every line is JSON.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LogEvent, logEvents } from '#kit/log.ts'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { openRaw } from '../raw-connection.ts'
import { type ServedStore, serveStore } from '../served-store.ts'

const secret = 'Zebra4711'

const isIn = (list: readonly string[], name: string): boolean => list.includes(name)

describe.each(cases(engines))('the log at LOG_LEVEL=trace on %s', (engine) => {
  let store: ServedStore
  beforeAll(async () => {
    store = await serveStore(engine, { LOG_LEVEL: 'trace', WORKERS: '2' })
  })
  afterAll(() => store.release())

  it('has a line for each request, without its content', async () => {
    const { production, staging } = store.keys
    const body = { name: secret, categoryId: 1 }
    const created = await store.ask('/pets', {
      body,
      headers: {
        'idempotency-key': secret,
        'x-request-id': 'created-1',
        cookie: secret,
        'user-agent': secret,
      },
    })
    expect(created.status).toBe(201)
    await store.ask(`/pets?note=${secret}&limit=1`)
    await store.ask(`/pets?cursor=${secret}`)
    await store.ask(`/pets?status=${secret}`, { headers: { 'x-request-id': 'refused-1' } })
    await store.ask('/pets', { body: `{"name":"${secret}"` })
    await store.ask('/pets', { body: { name: secret.repeat(50), categoryId: secret } })
    await store.ask('/pets', { key: staging })
    await store.ask('/pets', { key: `${production.slice(0, -1)}!` })
    await store.ask(`/pets?access_token=${production}`, { key: null })
    await store.ask(`/${secret}`)
    await store.ask(`/pets/${secret}`)
    await store.ask('/pets', { headers: { host: `${secret}.example` } })
    const connection = await openRaw(store.process.port)
    connection.write(
      `GET /v1/pets?${secret} HTTP/9.9\r\nAuthorization: Bearer ${production}\r\n\r\n`,
    )
    await connection.answer()
    connection.close()
    expect((await store.ask('/pets')).status).toBe(200)
    for (let i = 0; i < 8; i++) {
      await store.ask('/pets', { headers: { 'x-request-id': `read-${i}` } })
    }
    expect(await store.process.end('SIGTERM')).toBe(0)

    const log = store.process.log()
    const lines = log
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(lines.find(({ requestId }) => requestId === 'created-1')).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      requestId: 'created-1',
      environment: 'production',
      operation: 'createPet',
      method: 'POST',
      status: 201,
      keyId: production.split('_')[2],
      milliseconds: expect.any(Number),
      event: 'request.finished',
      msg: 'request',
    })
    for (const { event, level, msg, time, ...fields } of lines) {
      const listed = logEvents[event as LogEvent]
      expect(listed?.levels, String(event)).toContain(level)
      expect(Object.keys(fields).filter((name) => !isIn(listed.fields, name))).toEqual([])
      expect([typeof msg, typeof time]).toEqual(['string', 'string'])
    }
    expect(lines.find(({ requestId }) => requestId === 'refused-1')).toMatchObject({ status: 400 })
    // Includes cached pages.
    expect(lines.filter(({ requestId }) => /^read-/.test(String(requestId)))).toHaveLength(8)
    expect(log.toLowerCase()).not.toContain(secret.toLowerCase())
    for (const key of [production, staging]) expect(log).not.toContain(key.slice(21, 40))
    expect(log).not.toMatch(/authorization|bearer|cookie/i)
  })
})
