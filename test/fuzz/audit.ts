// Holds what the service has in the end against what was there before and what the lanes know of: every
// record, and every count.
import type { Answer, ask } from '../running-store.ts'
import type { Lane } from './choices.ts'
import { parseExact } from './exact-json.ts'
import type { EnvironmentName } from './request.ts'
import { exactText, type Kind, type Pet, type World } from './world.ts'

interface Rec {
  id: bigint
  status?: string
}

export type Snapshot = Record<Kind, Rec[]>
type Asking = (path: string, options?: Parameters<typeof ask>[4]) => Promise<Answer>

const paths: Record<Kind, string> = {
  pets: '/pets',
  categories: '/categories',
  orders: '/store/orders',
}
const statuses: Record<Kind, string[]> = {
  pets: ['available', 'pending', 'sold'],
  categories: [],
  orders: ['placed', 'approved', 'delivered', 'cancelled'],
}
const kinds = Object.keys(paths) as Kind[]

export async function takeSnapshot(asking: Asking): Promise<Snapshot> {
  const snapshot: Partial<Snapshot> = {}
  for (const kind of kinds) snapshot[kind] = await walk(asking, `${paths[kind]}?limit=100`)
  return snapshot as Snapshot
}

/** One line for each thing that is not as it should be. */
export async function audit(
  asking: Asking,
  environment: EnvironmentName,
  before: Snapshot,
  lanes: Lane[],
): Promise<string[]> {
  const now = await takeSnapshot(asking)
  const worlds = lanes.map((lane) => lane.worlds[environment])
  const findings: string[] = []
  for (const kind of kinds) {
    findings.push(...differences(kind, before[kind], now[kind], worlds))
    const filters = ['', ...statuses[kind].map((status) => `?status=${status}`)]
    for (const filter of filters) {
      const { headers } = await asking(paths[kind] + filter, { headers: { prefer: 'count=exact' } })
      const status = filter.split('=')[1]
      const rows = now[kind].filter((one) => !status || one.status === status).length
      const counted = headers['x-total-count']
      if (counted !== `${rows}`)
        findings.push(`${kind}${filter}: ${counted} counted, ${rows} there`)
    }
  }
  return findings.map((finding) => `in the end, in ${environment}: ${finding}`)
}

function differences(kind: Kind, before: Rec[], now: Rec[], worlds: World[]): string[] {
  const wanted = new Map<bigint, Rec>(before.map((one) => [one.id, one]))
  for (const world of worlds) for (const one of world[kind].values()) wanted.set(one.id, one)
  const findings: string[] = []
  const unknown: Rec[] = []
  for (const found of now) {
    const must = wanted.get(found.id)
    wanted.delete(found.id)
    if (!must) unknown.push(found)
    else if (exactText(found) !== exactText(must)) {
      findings.push(`${kind}: ${exactText(found)} is there, not ${exactText(must)}`)
    }
  }
  for (const lost of wanted.values()) findings.push(`${kind}: ${exactText(lost)} is lost`)
  const imported = kind === 'pets' ? worlds.flatMap((world) => world.imported) : []
  const left = unknown.map((one) => exactText(withoutId(one as Pet))).sort()
  const known = imported.map(exactText).sort()
  const isSame = left.length === known.length && left.every((text, i) => text === known[i])
  if (!isSame) {
    findings.push(
      `${kind}: ${left.length} that nobody made by one request, ${known.length} imported`,
    )
  }
  return findings
}

function withoutId({ id: _, ...rest }: Pet): Omit<Pet, 'id'> {
  return rest
}

async function walk(asking: Asking, first: string): Promise<Rec[]> {
  const records: Rec[] = []
  for (let at: string | undefined = first; at !== undefined; ) {
    const { headers, text } = await asking(at)
    records.push(...(parseExact(text) as Rec[]))
    at = /<([^>]+)>; rel="next"/.exec(headers.link ?? '')?.[1]?.replace(/^.*\/v1\//, '/')
  }
  return records
}
