// What a request crosses: files, functions and calls of the program's sources, by V8's precise coverage.

import { once } from 'node:events'
import { Session } from 'node:inspector/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { environmentIn } from '../../lab/serve-in-lab.ts'
import { startPublishing } from '../publishing/publishing-in-test.ts'
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
  const count = async (name: string, work: () => Promise<unknown>): Promise<Crossing> => {
    await session.post('Profiler.takePreciseCoverage')
    await work()
    const { result } = await session.post('Profiler.takePreciseCoverage')
    let files = 0
    let functions = 0
    let calls = 0
    for (const script of result) {
      if (!program.some((folder) => script.url.startsWith(folder))) continue
      // What begins the script is the module itself, where it was loaded meanwhile.
      const called = script.functions.flatMap(({ ranges: [all] }) =>
        all && all.startOffset > 0 ? all.count || [] : [],
      )
      if (called.length === 0) continue
      files++
      functions += called.length
      calls += called.reduce((sum, count) => sum + count, 0)
    }
    return { name, files, functions, calls }
  }
  const measure = async (name: string, work: () => Promise<unknown>) =>
    void crossings.push(await count(name, work))
  // What the start leaves to do, such as the certificate of the platform's own host, is not its work.
  const untilQuiet = async (): Promise<void> => {
    while ((await count('a pause', () => setTimeout(300))).calls > 100);
  }

  const store = await startStore('sqlite')
  await untilQuiet()
  const list = () => store.ask('/pets?limit=2')
  await measure('first GET /v1/pets?limit=2', list)
  await list()
  await list()
  await measure('fourth GET /v1/pets?limit=2', list)
  await measure('GET /v1/pets?limit=3&status=sold', () => store.ask('/pets?limit=3&status=sold'))
  // Production has no animals.
  await store.askStaging('/pets?limit=2')
  await measure('GET /v1/pets/1', () => store.askStaging('/pets/1'))
  await store.release()

  const lab = new Worker(join(import.meta.dirname, 'lab-in-worker.ts'))
  const [topology] = await once(lab, 'message')
  const { DATA_DIR: _, ...env } = environmentIn(topology)
  const publishing = await startPublishing('sqlite', { env })
  const owner = await publishing.member('paid')
  await owner.create('docs')
  await owner.deployFolder('docs', { 'index.html': '<title>Docs</title>' })
  const add = async (zone: string) => {
    const { status } = await owner.ask('/projects/docs/domains', { body: { host: `docs.${zone}` } })
    if (status !== 201) throw new Error(`the domain was not added: ${status}`)
  }
  for (const zone of ['acorn1.example', 'acorn2.example']) lab.postMessage(zone)
  await add('acorn1.example')
  await untilQuiet()
  await measure('second addDomain', () => add('acorn2.example'))
  await publishing.release()
  lab.postMessage(undefined)
  await once(lab, 'exit')
  session.disconnect()
  return crossings
}
