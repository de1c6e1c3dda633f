// Records that are there before the fuzzer begins and that nobody changes, and pages of them.
import type { RunningStore } from '../running-store.ts'
import type { Pages } from './targets.ts'

const lists: Record<string, string[]> = {
  listPets: ['/pets?limit=7', '/pets?status=sold&limit=3', '/pets?id=3,1,5&limit=1'],
  listCategories: ['/categories?limit=2'],
  listOrders: ['/store/orders?limit=2', '/store/orders?status=placed&limit=1'],
}

/** Fills both environments; gives pages with a cursor of each list. */
export async function fillStock(store: RunningStore): Promise<Pages> {
  return {
    production: await fill(store.ask, store.baseUrl.production),
    staging: await fill(store.askStaging, store.baseUrl.staging),
  }
}

async function fill(asking: RunningStore['ask'], base: string): Promise<Record<string, string[]>> {
  for (let n = 1; n <= 50; n++) {
    const status = ['available', 'pending', 'sold'][n % 3]
    await asking('/pets', { body: { name: `Animal ${n}`, categoryId: n, status } })
  }
  for (let n = 1; n <= 5; n++) {
    await asking('/categories', { body: { name: `Category ${n}` } })
    const pet = await asking('/pets', { body: { name: `Ordered ${n}`, categoryId: n } })
    const { id } = pet.json as { id: number }
    await asking('/store/orders', { body: { petId: id } })
  }
  const pages: Record<string, string[]> = {}
  for (const [operation, targets] of Object.entries(lists)) {
    pages[operation] = []
    for (const target of targets) {
      const { headers } = await asking(target)
      const next = /<([^>]+)>; rel="next"/.exec(headers.link ?? '')?.[1]
      if (next === undefined) throw new Error(`${target} has no next page`)
      pages[operation].push(next.slice(base.length))
    }
  }
  return pages
}
