// What the database knows of the files of a deploy besides their bytes.
import type { Session } from '../../platform/database/database.ts'
import { prepareQuery } from '../database/tables.ts'

export interface FileFacts {
  /** Canonical. */
  path: string
  /** Of the content: names it in the database, and makes the entity tag. */
  hash: string
  size: number
  /** Bytes of the stored codings; undefined where there is none. */
  gzip: number | undefined
  br: number | undefined
}

/** So many paths can be asked for at once. */
export const maxPaths = 8

const slots = Array.from({ length: maxPaths }, (_, i) => `path${i}`)
type Asked = { project: string; number: bigint } & Record<string, string | bigint>

const filesAt = prepareQuery<Asked>()((db, param) =>
  db
    .selectFrom('deploy_files')
    .innerJoin('files', 'files.hash', 'deploy_files.hash')
    .select(['deploy_files.path', 'files.hash', 'files.size'])
    .select(({ fn }) => [
      fn<bigint | number | null>('length', ['files.gzip']).as('gzip'),
      fn<bigint | number | null>('length', ['files.brotli']).as('br'),
    ])
    .where('deploy_files.project_id', '=', param('project'))
    .where('deploy_files.number', '=', param('number'))
    .where(
      'deploy_files.path',
      'in',
      slots.map((slot) => param(slot) as string),
    ),
)

/** Those of the paths, of which there is at least one, that are files of the deploy. */
export async function factsOf(
  read: Session,
  deploy: { projectId: string; number: bigint },
  paths: readonly string[],
): Promise<Map<string, FileFacts>> {
  const params: Asked = { project: deploy.projectId, number: deploy.number }
  for (const [i, slot] of slots.entries()) params[slot] = paths[i] ?? (paths[0] as string)
  const rows = await read.all(filesAt, params)
  const facts = rows.map(({ br, gzip, hash, path, size }) => {
    return { path, hash, size: Number(size), gzip: toLength(gzip), br: toLength(br) }
  })
  return new Map(facts.map((one) => [one.path, one]))
}

function toLength(length: bigint | number | null): number | undefined {
  return length === null ? undefined : Number(length)
}
