// getPet is deprecated: every response says so, and it returns 410 from 5 December 2030.

import { describe, expect, it } from 'vitest'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { serving, store } from './serving.ts'

const sunset = Date.UTC(2030, 11, 5)

describe.each(cases(engines))('the deprecation of getPet on %s', (engine) => {
  serving(engine)

  const announced = (petId: string) => {
    const base = store.baseUrl.staging
    const successor = `${base}/pets${petId && `?id=${petId}`}`
    return {
      deprecation: expect.stringMatching(/^@\d{10}$/),
      sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
      link: expect.stringContaining(`<${successor}>; rel="successor-version"`),
    }
  }

  it('every response says so, including errors and cached pages', async () => {
    const etag = String((await store.askStaging('/pets/1')).headers.etag)
    const answers: [number, string, string, object][] = [
      [200, '1', '/pets/1', {}],
      [200, '1', '/pets/1', { method: 'HEAD' }],
      [304, '1', '/pets/1', { headers: { 'if-none-match': etag } }],
      [401, '1', '/pets/1', { key: null }],
      [401, '1', '/pets/1', { key: store.keys.production }],
      [404, '51', '/pets/51', {}],
      [404, '', '/pets/%3E%22x', {}],
      [406, '1', '/pets/1', { headers: { accept: 'text/html' } }],
    ]
    for (const [status, petId, path, options] of answers) {
      const response = await store.askStaging(path, options)
      expect(response).toMatchObject({ status, headers: announced(petId) })
      expect(response.headers.link).toMatch(/rel="deprecation"/)
      expect(response.headers['access-control-allow-origin']).toBeUndefined()
    }
  })

  it('the links work', async () => {
    const { headers, json } = await store.askStaging('/pets/3')
    const links = [...(headers.link ?? '').matchAll(/<([^>]+)>/g)].map(([, target]) =>
      String(target),
    )
    const [document, successor] = links.map((link) => link.replace(store.baseUrl.staging, ''))
    expect((await store.askStaging(document as string, { key: null })).status).toBe(200)
    expect((await store.askStaging(successor as string)).json).toEqual([json])
  })

  it('the other operations are not deprecated', async () => {
    const body = { name: 'Rex', categoryId: 1 }
    for (const options of [{}, { body }, { method: 'OPTIONS' }]) {
      const { headers } = await store.askStaging('/pets', options)
      expect(headers).not.toHaveProperty('deprecation')
      expect(headers).not.toHaveProperty('sunset')
    }
  })

  it('410 from that moment, also for cached pages and matching ETags', async () => {
    store.clock.now = sunset - 1
    const { status, headers } = await store.askStaging('/pets/1')
    expect(status).toBe(200)
    expect((await store.askStaging('/pets/1')).status).toBe(200)
    store.clock.now = sunset
    const known = { headers: { 'if-none-match': String(headers.etag) } }
    for (const [path, options] of [
      ['/pets/1', {}],
      ['/pets/1', known],
      ['/pets/999', {}],
    ] as const) {
      const response = await store.askStaging(path, options)
      expect(response).toMatchObject({
        status: 410,
        headers: { 'content-type': 'application/json', ...announced(path.slice(6)) },
        json: { code: 'operation_removed', status: 410 },
      })
    }
    expect((await store.askStaging('/pets/1', { key: null })).status).toBe(401)
    expect((await store.askStaging('/pets?id=1')).json).toMatchObject([{ id: 1 }])
  })
})
