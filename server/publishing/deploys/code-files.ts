// gzip and brotli of published files, made once when a deploy is built. zlib works in threads of its own.
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { type Database, each } from '../../platform/database/database.ts'
import { prepareQuery } from '../database/tables.ts'
import { readContent } from './files.ts'
import { overHashes } from './over-hashes.ts'

const compressGzip = promisify(gzip)
const compressBrotli = promisify(brotliCompress)

/** What compresses well by nature; everything else is compressed already, or too rare to matter. */
const compressible =
  /\.(?:html?|css|m?js|cjs|json|map|webmanifest|svg|xml|txt|md|markdown|ya?ml|csv|tsv|atom|rss|ics|wasm|ttf|otf|eot|ico|bmp|geojson|vtt|srt)$/i
const worthFromBytes = 512
/** It must save so much. */
const worthShare = 0.9
const batchBytes = 2 * 1024 * 1024
const batchFiles = 100
const pageFiles = 1000

const page = prepareQuery<{ project: string; number: number; after: string; most: number }>()(
  (db, param) =>
    db
      .selectFrom('deploy_files')
      .innerJoin('files', 'files.hash', 'deploy_files.hash')
      .select(['deploy_files.path', 'files.hash', 'files.size', 'files.coded'])
      .where('project_id', '=', param('project'))
      .where('number', '=', param('number'))
      .where('path', '>', param('after'))
      .orderBy('path')
      .limit(param('most')),
)
const setCodings = prepareQuery<{
  hash: string
  gzip: Uint8Array | null
  brotli: Uint8Array | null
}>()((db, param) =>
  db
    .updateTable('files')
    .set({ gzip: param('gzip'), brotli: param('brotli'), coded: 1n })
    .where('hash', '=', param('hash')),
)

const setUncoded = overHashes((db, hashes) =>
  db.updateTable('files').set({ coded: 1n }).where('hash', 'in', hashes),
)

interface Coded {
  hash: string
  gzip: Uint8Array | null
  brotli: Uint8Array | null
}

const coding = each(async (session, coded: Coded[]) => {
  const [none, some] = [true, false].map((is) =>
    coded.filter(({ brotli, gzip }) => (brotli === null && gzip === null) === is),
  ) as [Coded[], Coded[]]
  for (const file of some) await session.all(setCodings, { ...file })
  await setUncoded(
    session,
    none.map(({ hash }) => hash),
  )
})

/** Compresses what of a deploy has not been yet, where that is worth it. Throws the reason of `signal`. */
export async function codeFiles(
  database: Database,
  project: string,
  number: number,
  signal: AbortSignal,
): Promise<void> {
  for (let after = ''; ; ) {
    const rows = await database.read.all(page, { project, number, after, most: pageFiles })
    const last = rows.at(-1)
    if (!last) return
    after = last.path
    const byHash = new Map(rows.map((row) => [row.hash, row]))
    const found = [...byHash.values()].filter(({ coded }) => coded === 0n)
    for (const batch of batchesBySize(found)) {
      signal.throwIfAborted()
      const coded = await Promise.all(batch.map((file) => codeFile(database, file)))
      await database.write(coding, coded)
    }
  }
}

interface Uncoded {
  hash: string
  size: bigint
  path: string
}

function* batchesBySize(files: Uncoded[]): Generator<Uncoded[]> {
  let batch: Uncoded[] = []
  let bytes = 0
  for (const file of files) {
    if (
      batch.length === batchFiles ||
      (batch.length > 0 && bytes + Number(file.size) > batchBytes)
    ) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(file)
    bytes += Number(file.size)
  }
  if (batch.length > 0) yield batch
}

async function codeFile(database: Database, { hash, path, size }: Uncoded): Promise<Coded> {
  const none = { hash, gzip: null, brotli: null }
  if (!compressible.test(path) || size < worthFromBytes) return none
  const content = await readContent(database.read, hash)
  if (!content) return none
  const quality = content.length > 256 * 1024 ? 6 : 9
  // A window no larger than the file: brotli clears memory for all of it, however short the file is.
  const window = Math.min(22, Math.max(10, Math.ceil(Math.log2(content.length + 16))))
  const params = {
    [constants.BROTLI_PARAM_LGWIN]: window,
    [constants.BROTLI_PARAM_QUALITY]: quality,
    [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
  }
  const [zipped, brotli] = await Promise.all([
    compressGzip(content, { level: 9 }),
    compressBrotli(content, { params }),
  ])
  const isWorth = (coded: Uint8Array): boolean => coded.length < content.length * worthShare
  return { hash, gzip: isWorth(zipped) ? zipped : null, brotli: isWorth(brotli) ? brotli : null }
}
