// Pages: the Link header, both directions, the filter and environment of a cursor, ids, counts.
import { describe, expect, it } from 'vitest'
import { engines } from '../database.ts'
import { type Answer, refusal } from '../running-store.ts'
import { countAt, serving, store } from './serving.ts'

/** The URLs of a Link header by relation. */
function links(response: Answer): Record<string, string> {
  const found = [...(response.headers.link ?? '').matchAll(/<([^>]*)>; rel="(\w+)"/g)]
  return Object.fromEntries(found.map(([, target, relation]) => [relation, target]))
}

const ids = (response: Answer): number[] => (response.json as { id: number }[]).map(({ id }) => id)
const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i + 1)

describe.each(engines)('pages on %s', (engine) => {
  serving(engine)

  /** Follows a link of production or staging, which must start with the configured base URL. */
  async function follow(target: string | undefined): Promise<Answer> {
    const base = store.baseUrl.staging
    expect(target).toMatch(new RegExp(`^${base}/pets(\\?|$)`))
    return store.askStaging(String(target).slice(base.length))
  }

  async function walk(from: string, relation: 'next' | 'prev'): Promise<number[][]> {
    const pages: number[][] = []
    let response = await store.askStaging(from)
    for (;;) {
      expect(response.status).toBe(200)
      pages.push(ids(response))
      const target = links(response)[relation]
      if (target === undefined) return pages
      response = await follow(target)
    }
  }

  it.each([1, 7, 20, 25, 50, 100])('pages forward by %i, each animal once, in order', async (n) => {
    const pages = await walk(`/pets?limit=${n}`, 'next')
    expect(pages.flat()).toEqual(upTo(50))
    expect(pages).toHaveLength(Math.ceil(50 / n))
  })

  it('pages backward to the first page', async () => {
    const forward = await walk('/pets?limit=7', 'next')
    let response = await store.askStaging('/pets?limit=7')
    for (let next = links(response).next; next; next = links(response).next)
      response = await follow(next)
    const target = links(response).prev
    const path = String(target).slice(store.baseUrl.staging.length)
    expect(await walk(path, 'prev')).toEqual(forward.slice(0, -1).reverse())
  })

  it('always has first, and next and prev only if there are more animals', async () => {
    const first = await store.askStaging('/pets?limit=20')
    expect(Object.keys(links(first))).toEqual(['first', 'next'])
    const second = await follow(links(first).next)
    expect(Object.keys(links(second))).toEqual(['first', 'prev', 'next'])
    const third = await follow(links(second).next)
    expect(Object.keys(links(third))).toEqual(['first', 'prev'])
    expect(ids(await follow(links(third).first))).toEqual(upTo(20))
    expect(Object.keys(links(await store.ask('/pets')))).toEqual(['first'])
  })

  it('keeps filter and limit in its links, and no other parameters', async () => {
    for (const query of [
      'limit=2&status=sold',
      '_=?&limit=2&status=sold',
      'utm_term=%3F?b&status=sold&limit=2',
    ]) {
      const pages = await walk(`/pets?${query}`, 'next')
      expect(pages.map((page) => page.length)).toEqual([2, 2, 2, 2, 2])
      expect(pages.flat()).toEqual(upTo(50).filter((id) => id % 5 === 0))
    }
  })

  it('builds its links from the base URL, not from Host', async () => {
    const { port } = new URL(store.baseUrl.staging)
    const response = await store.askStaging('/pets', {
      headers: { host: `STAGING.localhost.:${port}` },
    })
    expect(links(response).first).toBe(`${store.baseUrl.staging}/pets`)
  })

  it('binds a cursor to its filter and its environment', async () => {
    const { next } = links(await store.askStaging('/pets?limit=2&status=sold'))
    const cursor = new URL(String(next)).searchParams.get('cursor')
    expect((await store.askStaging(`/pets?status=sold&cursor=${cursor}`)).status).toBe(200)
    expect((await store.askStaging(`/pets?limit=9&status=sold&cursor=${cursor}`)).status).toBe(200)
    const elsewhere = [
      store.askStaging(`/pets?cursor=${cursor}`),
      store.askStaging(`/pets?status=available&cursor=${cursor}`),
      store.askStaging(`/pets?status=sold&id=5,10&cursor=${cursor}`),
      store.ask(`/pets?status=sold&cursor=${cursor}`),
    ]
    for (const response of await Promise.all(elsewhere)) {
      expect(response).toMatchObject(refusal(400, 'invalid_cursor'))
    }
  })

  it('refuses a damaged cursor', async () => {
    const { next } = links(await store.askStaging('/pets?limit=2'))
    const cursor = new URL(String(next)).searchParams.get('cursor') ?? ''
    const damaged = [cursor.slice(1), cursor.slice(0, -1), `${cursor}!`, `${cursor}=`, `!${cursor}`]
    const others = [`${cursor}${cursor}`, 'x', '50', Buffer.from('a2.0').toString('base64url')]
    for (const text of [...damaged, ...others]) {
      const json = { code: 'invalid_cursor', details: [{ path: 'cursor' }] }
      const response = await store.askStaging(`/pets?cursor=${encodeURIComponent(text)}`)
      expect(response, text).toMatchObject({ status: 400, json })
    }
    const { json } = await store.askStaging('/pets?cursor=')
    expect(json).toMatchObject({ code: 'invalid_parameter' })
  })

  it('id: only these animals, in order, each once, without missing ones', async () => {
    expect(ids(await store.askStaging('/pets?id=3'))).toEqual([3])
    expect(ids(await store.askStaging('/pets?id=9,2,9,51,-1,0'))).toEqual([2, 9])
    expect(ids(await store.askStaging('/pets?id=5,6&status=sold'))).toEqual([5])
    expect((await store.askStaging('/pets?id=9223372036854775807,-9223372036854775808')).text).toBe(
      '[]',
    )
    expect(ids(await store.askStaging(`/pets?limit=100&id=${upTo(100)}`))).toEqual(upTo(50))
    expect((await walk(`/pets?limit=3&id=${[8, 1, 2, 3, 4, 5, 6]}`, 'next')).flat()).toEqual([
      1, 2, 3, 4, 5, 6, 8,
    ])
  })

  it.each([upTo(101).join(), 'x', '1,,2', ',1', '1.0', '9223372036854775808', '1&id=x'])(
    'id: not %s',
    async (list) => {
      const json = { code: 'invalid_parameter', details: [{ path: 'id' }] }
      expect(await store.askStaging(`/pets?id=${list}`)).toMatchObject({ status: 400, json })
    },
  )

  it('Prefer: count=exact counts the filtered animals, cached or not', async () => {
    const count = async (path: string) => {
      const { headers } = await store.askStaging(path, { headers: { prefer: 'count=exact' } })
      return [headers['x-total-count'], headers['preference-applied']]
    }
    for (const path of ['/pets', '/pets?limit=1', '/pets']) {
      expect(await count(path)).toEqual(['50', 'count=exact'])
    }
    expect(await count('/pets?status=sold')).toEqual(['10', 'count=exact'])
    expect(await count('/pets?status=pending&limit=1')).toEqual(['10', 'count=exact'])
    expect(await count('/pets?id=1,5,99')).toEqual(['2', 'count=exact'])
    expect(await count('/pets?id=1,5,99&status=sold')).toEqual(['1', 'count=exact'])
    const plain = await store.askStaging('/pets')
    expect(Object.keys(plain.headers)).not.toContain('x-total-count')
  })

  it.each([
    ['Count = "exact"', '50'],
    ['respond-async, count=exact; x=1', '50'],
    ['respond-async; count=exact', undefined],
    ['count=exactly', undefined],
    ['count', undefined],
  ])('Prefer: %s', async (prefer, total) => {
    const { headers } = await store.askStaging('/pets', { headers: { prefer } })
    expect(headers['x-total-count']).toBe(total)
  })

  it('counts added animals by status', async () => {
    const add = (status: string) =>
      store.ask('/pets', { body: { name: 'N', categoryId: 1, status } })
    await Promise.all(['available', 'available', 'sold'].map(add))
    const queries = ['', 'status=available', 'status=sold', 'status=pending']
    const counts = await Promise.all(queries.map((query) => countAt(`/pets?${query}`)))
    expect(counts).toEqual([3, 2, 1, 0])
  })

  it('shows an animal that is added after the page', async () => {
    const before = await store.ask('/pets?limit=100')
    const last = ids(before).at(-1) as number
    const page = await store.ask(`/pets?limit=${last}`)
    expect(links(page).next).toBeUndefined()
    await store.ask('/pets', { body: { name: 'New', categoryId: 1 } })
    const again = await store.ask(`/pets?limit=${last}`)
    expect(again.text).toBe(page.text)
    expect(again.headers.etag).toBe(page.headers.etag)
    const next = String(links(again).next).slice(store.baseUrl.production.length)
    expect(ids(await store.ask(next))).toEqual([last + 1])
  })

  it('pages animals whose names look like JSON', async () => {
    const made: number[] = []
    for (const name of ['"},{"id":1,"name":"', '\\"},{"id":', '{"id":1,']) {
      const { json } = await store.askStaging('/pets', { body: { name, categoryId: 1 } })
      made.push((json as { id: number }).id)
    }
    const path = `/pets?limit=1&id=${made.join()}`
    expect(await walk(path, 'next')).toEqual(made.map((id) => [id]))
    const second = await follow(links(await store.askStaging(path)).next)
    const last = await follow(links(second).next)
    const back = String(links(last).prev).slice(store.baseUrl.staging.length)
    expect(await walk(back, 'prev')).toEqual([[made[1]], [made[0]]])
  })
})
