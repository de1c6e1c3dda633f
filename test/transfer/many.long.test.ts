// Import and export of many animals use constant memory, while a running server continues to create and list.
// In npm test: test/transfer/round-trip.test.ts.

import { once } from 'node:events'
import { Agent } from 'node:http'
import { createInterface } from 'node:readline'
import { afterEach, describe, expect, it } from 'vitest'
import { engines } from '../database.ts'
import { runCommand, startCommand } from '../served-process.ts'
import { type ServedStore, serveStore } from '../served-store.ts'

// A million also works; this number is enough to show it and keeps the test short.
const count = Number(process.env.TRANSFER_ROWS ?? 200_000)
/** Too little to hold all rows or the whole input. */
const smallHeap = { NODE_OPTIONS: '--max-old-space-size=40' }
const where = ['--environment', 'production']

function* lines(): Generator<string> {
  const statuses = ['available', 'pending', 'sold']
  yield 'name,categoryId,status,note\n'
  for (let i = 1; i <= count; ) {
    let text = ''
    for (const end = Math.min(count, i + 999); i <= end; i++) {
      text += `Imported ${i},${i},${statuses[i % 3]},"${'note '.repeat(30)}"\n`
    }
    yield text
  }
}

let store: ServedStore
afterEach(() => store.release())

describe.each(engines)('on %s', (engine) => {
  it(`imports ${count} and exports them, while clients create`, { timeout: 300_000 }, async () => {
    store = await serveStore(engine)
    const agent = new Agent({ keepAlive: true })
    let isOver = false
    const statuses = new Set<number>()
    const create = async (): Promise<number> => {
      let created = 0
      while (!isOver) {
        const response = await store.ask('/pets', {
          body: { name: 'Created', categoryId: 1 },
          agent,
        })
        statuses.add(response.status)
        if (response.status === 503) expect(response.headers['retry-after']).toBe('1')
        else created++
        statuses.add((await store.ask('/pets?limit=5', { agent })).status)
      }
      return created
    }
    const creating = create()
    const importing = ['animals', 'import', '-', ...where]
    const imported = await runCommand(store.place, importing, smallHeap, lines())
    isOver = true
    const created = await creating
    expect(imported).toMatchObject({ status: 0, stderr: '' })
    expect(created).toBeGreaterThan(0)
    expect([...statuses].filter((status) => ![200, 201, 503].includes(status))).toEqual([])
    const { headers } = await store.ask('/pets?limit=1', { headers: { prefer: 'count=exact' } })
    expect(headers['x-total-count']).toBe(String(count + created))

    // The export has every animal once, sorted by id, the imported ones in order and consecutive.
    const exporting = ['animals', 'export', '--format', 'ndjson', ...where]
    const child = startCommand(store.place, exporting, smallHeap)
    const closed = once(child, 'close')
    let [last, next, others, jumps] = [0, 1, 0, 0]
    let wasImported = false
    for await (const line of createInterface({ input: child.stdout })) {
      const { id, name } = JSON.parse(line)
      if (!(id > last)) jumps++
      last = id
      const isImported = name === `Imported ${next}`
      if (isImported && next > 1 && !wasImported) jumps++
      if (isImported) next++
      else others++
      wasImported = isImported
    }
    expect(await closed).toEqual([0, null])
    expect({ next, others, jumps }).toEqual({ next: count + 1, others: created, jumps: 0 })
  })
})
