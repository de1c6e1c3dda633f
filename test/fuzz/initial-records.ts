// Records that exist before the fuzzer starts and that no request changes, and pages of them.
import type { RunningStore } from '../running-store.ts'
import type { Pages } from './targets.ts'

const lists: Record<string, string[]> = {
  listPets: ['/pets?limit=7', '/pets?status=sold&limit=3', '/pets?id=3,1,5&limit=1'],
  listCategories: ['/categories?limit=2'],
  listOrders: ['/store/orders?limit=2', '/store/orders?status=placed&limit=1'],
}

/** Creates records in both environments. Returns paths of pages with a cursor, for each list. */
export async function createInitialRecords(store: RunningStore): Promise<Pages> {
  return {
    production: await createRecords(store.ask, store.baseUrl.production),
    staging: await createRecords(store.askStaging, store.baseUrl.staging),
  }
}

async function createRecords(
  request: RunningStore['ask'],
  base: string,
): Promise<Record<string, string[]>> {
  for (let n = 1; n <= 50; n++) {
    const status = ['available', 'pending', 'sold'][n % 3]
    await request('/pets', { body: { name: `Animal ${n}`, categoryId: n, status } })
  }
  for (let n = 1; n <= 5; n++) {
    await request('/categories', { body: { name: `Category ${n}` } })
    const pet = await request('/pets', { body: { name: `Ordered ${n}`, categoryId: n } })
    const { id } = pet.json as { id: number }
    await request('/store/orders', { body: { petId: id } })
  }
  const pages: Record<string, string[]> = {}
  for (const [operation, targets] of Object.entries(lists)) {
    pages[operation] = []
    for (const target of targets) {
      const { headers } = await request(target)
      const next = /<([^>]+)>; rel="next"/.exec(headers.link ?? '')?.[1]
      if (next === undefined) throw new Error(`${target} has no next page`)
      pages[operation].push(next.slice(base.length))
    }
  }
  return pages
}
