// To which stage of a request V8's profiler samples belong: that of the innermost function that is neither native nor
// Node's. So SQLite's part of a statement belongs to the function that made it. A file that no stage knows has a row of its own.

import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const repository = join(import.meta.dirname, '../..')

const collection = 'garbage collection'
const native = 'native code without a function'
const rest = 'other'
/** The row of a file that no stage knows. */
export const unknown = 'other: '
export const idle = 'waiting, reading the socket'

/** What runs a statement, or formats its values, does so for its caller. */
const caller = 'caller'

/**
 * The rows in their order, and what belongs to them: beginnings of paths, some with the function in them. One with a
 * function counts more than one without, and a longer path more than a shorter one.
 */
const stages: Record<string, string[]> = {
  'socket, head, route': [
    ...['server/kit/http/', 'server/route-request.ts', 'server/kit/cluster.ts'],
    ...['server/kit/api/', 'server/store/api/', 'bench/peers/express-store.ts', 'npm/express/'],
    ...['npm/router/', 'npm/parseurl/', 'npm/qs/', 'npm/debug/', 'npm/path-to-regexp/', 'node:'],
  ],
  key: [
    ...['server/store/keys/', 'server/store/api/key-gate.ts', 'server/kit/secrets.ts'],
    ...['hasKey bench/', 'hashKey bench/'],
  ],
  body: [
    ...['server/kit/api/read-body.ts', 'server/kit/json/', 'npm/body-parser/', 'npm/raw-body/'],
    ...[
      'npm/type-is/',
      'npm/media-typer/',
      'npm/bytes/',
      'npm/iconv-lite/',
      'npm/on-finished/',
      'npm/unpipe/',
    ],
  ],
  validation: [
    ...['server/kit/schema/', 'server/store/operations/', 'server/store/animals/routes.ts'],
    ...['server/store/orders/routes.ts', 'bench/peers/pet-rules.ts'],
  ],
  idempotency: ['server/store/idempotency/'],
  'queue, gate': [
    ...['server/kit/database/engines/group-commit.ts', 'server/kit/database/engines/postgres.ts'],
    'server/kit/database/transactions.ts',
  ],
  versions: ['server/kit/database/shared-reads.ts'],
  begin: ['beginImmediate server/'],
  'select state': ['lockAndReadState server/'],
  'read records': [
    ...['openRecords server/', 'find server/store/changes/', 'server/store/operations/pages.ts'],
    ...['server/store/animals/list-pets.ts', 'listPets bench/', 'findPet bench/'],
    'hasOpenOrder bench/',
  ],
  'insert, update records': [
    ...[
      'save server/store/changes/',
      'updatePet bench/',
      'reservePet bench/',
      'insertOrder bench/',
    ],
    'run bench/peers/bare-node.ts',
  ],
  'update state': ['changeState server/'],
  'commit with fsync': [
    ...['commitTransaction server/', 'exec bench/peers/', 'insertPet bench/', 'transaction bench/'],
  ],
  'PostgreSQL driver, sending': [...['server/kit/database/engines/postgres-', 'npm/pg']],
  'change in memory': [
    'server/store/',
    'bench/peers/order-rules.ts',
    'bench/peers/pets-database.ts',
  ],
  response: [
    ...[
      'server/kit/http/response/',
      'server/store/api/response-headers.ts',
      'server/kit/metrics.ts',
    ],
    ...['server/kit/log.ts', 'send server/', 'report server/', 'createPageLinks bench/'],
    ...['bench/peers/bare-node.ts', 'npm/express/lib/response.js', 'npm/etag/', 'npm/mime-'],
    ...['npm/content-type/', 'npm/fresh/', 'npm/vary/', 'npm/safe-buffer/'],
    ...['resOnFinish node:', 'ServerResponse node:', 'onwrite node:', 'afterWriteDispatched node:'],
  ],
  [caller]: [
    ...['server/kit/database/engines/sqlite.ts', 'server/kit/database/engines/open.ts'],
    ...['server/kit/database/database.ts', 'server/kit/database/query.ts'],
    ...['server/kit/database/insert-rows.ts', 'server/kit/database/json-rows.ts'],
    'server/kit/promises.ts',
  ],
}

export const stageNames = [
  ...Object.keys(stages).filter((stage) => stage !== caller),
  ...[collection, native, rest],
]

const patterns = Object.entries(stages)
  .flatMap(([stage, texts]) =>
    texts.map((text) => {
      const [path = '', name] = text.split(' ').toReversed()
      return { stage, path, name }
    }),
  )
  .toSorted((a, b) => Number(!a.name) - Number(!b.name) || b.path.length - a.path.length)

interface CallFrame {
  functionName: string
  url: string
}

interface ProfileNode {
  id: number
  callFrame: CallFrame
  children?: number[]
}

export interface Profile {
  nodes: ProfileNode[]
  samples: number[]
  timeDeltas: number[]
}

/** Microseconds of wall time. */
export function timeByStage({ nodes, samples, timeDeltas }: Profile): Map<string, number> {
  const parents = new Map(nodes.flatMap((node) => (node.children ?? []).map((id) => [id, node])))
  const stageOf = new Map(nodes.map((node) => [node.id, findStage(framesOf(node, parents))]))
  const times = new Map<string, number>()
  let total = 0
  for (const [i, id] of samples.entries()) {
    const stage = stageOf.get(id) ?? rest
    const us = timeDeltas[i + 1] ?? 0
    times.set(stage, (times.get(stage) ?? 0) + us)
    if (stage !== idle) total += us
  }
  // Files that no pattern knows have a row of their own if they take more than two hundredths.
  for (const [stage, us] of times) {
    if (!stage.startsWith(unknown) || us > 0.02 * total) continue
    times.delete(stage)
    times.set(rest, (times.get(rest) ?? 0) + us)
  }
  return times
}

interface Frame {
  /** Of the function, after the native functions that it called. */
  names: string[]
  path: string
}

/** From the innermost frame out. Without a function, its only frame is what V8 calls the state, as `(idle)`. */
function framesOf(node: ProfileNode, parents: Map<number, ProfileNode>): Frame[] {
  const frames: Frame[] = []
  let names: string[] = []
  for (let at: ProfileNode | undefined = node; at; at = parents.get(at.id)) {
    const { functionName, url } = at.callFrame
    names.push(functionName)
    if (url === '') continue
    const path = url.startsWith('file:') ? relative(repository, fileURLToPath(url)) : url
    frames.push({ names, path: path.replace(/^.*node_modules\//, 'npm/') })
    names = []
  }
  return frames.length === 0 ? [{ names, path: '' }] : frames
}

function findStage(frames: Frame[]): string {
  const [state = ''] = frames[0]?.path === '' ? frames[0].names : []
  if (state !== '') return { '(idle)': idle, '(garbage collector)': collection }[state] ?? native
  const found = frames.map(({ names, path }) => ({ path, stage: stageOfFrame(names, path) }))
  const own = found.find(({ path, stage }) => !path.startsWith('node:') && stage !== caller)
  if (own) return own.stage ?? unknown + own.path
  const ofNode = found.map(({ stage }) => stage).filter((stage) => stage !== caller)
  return ofNode.find((stage) => stage === 'response') ?? ofNode[0] ?? rest
}

const stageOfFrame = (names: string[], at: string): string | undefined =>
  patterns.find(({ name, path }) => at.startsWith(path) && (!name || names.includes(name)))?.stage
