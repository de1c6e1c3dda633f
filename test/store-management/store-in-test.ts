// The whole program with a signed-in operator, and the operator's requests about the store over the management API.
import { afterAll, beforeAll, expect } from 'vitest'
import type { Engine } from '../database.ts'
import {
  expectJson,
  type PersonAsk,
  type PublishingInTest,
  startPublishing,
} from '../publishing/publishing-in-test.ts'
import type { Answer, StartOptions } from '../running-store.ts'

export interface ManagedStore extends PublishingInTest {
  /** Sends a request as the operator, below `/api/store/production`. Every response is compared with the document. */
  manage(path: string, options?: PersonAsk): Promise<Answer>
  /** The body of a response with this status. */
  get<T>(path: string, status?: number): Promise<T>
  send<T>(method: string, path: string, body: unknown, status?: number): Promise<T>
}

/** That of a describe block. */
export let store: ManagedStore

/** Starts it before the tests of the block, and stops it after them. */
export function managing(engine: Engine, options: StartOptions = {}): void {
  beforeAll(async () => {
    store = await startManaged(engine, options)
  })
  afterAll(() => store.release())
}

export interface Page<Item> {
  items: Item[]
  next: string | null
  prev: string | null
  total: number | null
}

/** The ids on the pages of a list, which are the same along `next` and back along `prev`. Some filters have no count. */
export async function idsOf(path: string, isCounted = true): Promise<number[]> {
  const get = (more = '') => store.get<Page<{ id: number }>>(`${path}&limit=2${more}`)
  let page = await get()
  expect(page.prev).toBeNull()
  const { total } = page
  const walk = async (direction: 'next' | 'prev'): Promise<{ id: number }[][]> => {
    const pages = [page.items]
    while (page[direction] !== null) {
      page = await get(`&cursor=${page[direction]}`)
      pages.push(page.items)
    }
    return pages
  }
  const [forth, back] = [await walk('next'), (await walk('prev')).toReversed()]
  expect(back).toEqual(forth)
  const ids = forth.flat().map(({ id }) => id)
  expect(total).toBe(isCounted ? ids.length : null)
  return ids
}

export async function startManaged(
  engine: Engine,
  options: StartOptions = {},
): Promise<ManagedStore> {
  const publishing = await startPublishing(engine, options)
  const { operator } = publishing
  const manage: ManagedStore['manage'] = (path, asked) =>
    operator.ask(path.startsWith('/store/') ? path : `/store/production${path}`, asked)
  return {
    ...publishing,
    manage,
    get: async <T>(path: string, status = 200) => expectJson(await manage(path), status) as T,
    send: async <T>(method: string, path: string, body: unknown, status = 200) =>
      expectJson(await manage(path, { method, body }), status) as T,
  }
}
