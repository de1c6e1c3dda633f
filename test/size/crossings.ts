// What a request crosses: files, functions and calls of the program's sources, by V8's precise coverage.
import { Session } from 'node:inspector/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { startDomains } from '../domains/domains-in-test.ts'
import { startStore } from '../running-store.ts'

export interface Crossing {
  name: string
  files: number
  functions: number
  calls: number
}

const program = ['server', 'client'].map(
  (folder) => pathToFileURL(`${join(import.meta.dirname, '../..', folder)}/`).href,
)

/** On SQLite, in this process. Upkeep that runs at the same moment counts, too. */
export async function countCrossings(): Promise<Crossing[]> {
  const crossings: Crossing[] = []
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  const measure = async (name: string, work: () => Promise<unknown>): Promise<void> => {
    await session.post('Profiler.takePreciseCoverage')
    await work()
    const { result } = await session.post('Profiler.takePreciseCoverage')
    let files = 0
    let functions = 0
    let calls = 0
    for (const script of result) {
      if (!program.some((folder) => script.url.startsWith(folder))) continue
      // The first one is the module itself.
      const called = script.functions.slice(1).flatMap(({ ranges }) => ranges[0]?.count || [])
      if (called.length === 0) continue
      files++
      functions += called.length
      calls += called.reduce((sum, count) => sum + count, 0)
    }
    crossings.push({ name, files, functions, calls })
  }

  const store = await startStore('sqlite')
  const list = () => store.ask('/pets?limit=2')
  await measure('first GET /v1/pets?limit=2', list)
  await list()
  await list()
  await measure('fourth GET /v1/pets?limit=2', list)
  await measure('GET /v1/pets/1', () => store.ask('/pets/1'))
  await store.release()

  const domains = await startDomains('sqlite')
  const owner = await domains.owner()
  await owner.add(`docs.${domains.buy().name}`)
  const { name } = domains.buy()
  await measure('second addDomain', () => owner.add(`docs.${name}`))
  await domains.release()
  session.disconnect()
  return crossings
}
