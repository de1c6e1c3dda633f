// Compares the stored records at the end with those before the run and with the lanes' models.

import { readLinkedPages } from '../linked-pages.ts'
import type { Answer, ask } from '../running-store.ts'
import type { Lane } from './choices.ts'
import { parseExact } from './exact-json.ts'
import { exactText, type Kind, type Model } from './model.ts'
import type { EnvironmentName } from './request.ts'

interface StoredRecord {
  id: bigint
  status?: string
}

export type Snapshot = Record<Kind, StoredRecord[]>
type SendRequest = (path: string, options?: Parameters<typeof ask>[4]) => Promise<Answer>

const paths: Record<Kind, string> = {
  pets: '/pets',
  categories: '/categories',
  orders: '/store/orders',
}
const kinds = Object.keys(paths) as Kind[]

export async function takeSnapshot(sendRequest: SendRequest): Promise<Snapshot> {
  const snapshot: Partial<Snapshot> = {}
  for (const kind of kinds)
    snapshot[kind] = (await readLinkedPages(sendRequest, `${paths[kind]}?limit=100`)).flatMap(
      ({ text }) => parseExact(text) as StoredRecord[],
    )
  return snapshot as Snapshot
}

/** Returns one line for each difference. */
export async function audit(
  sendRequest: SendRequest,
  environment: EnvironmentName,
  before: Snapshot,
  lanes: Lane[],
): Promise<string[]> {
  const now = await takeSnapshot(sendRequest)
  const models = lanes.map((lane) => lane.models[environment])
  const findings = kinds.flatMap((kind) => compareRecords(kind, before[kind], now[kind], models))
  return findings.map((finding) => `after the run, in ${environment}: ${finding}`)
}

function compareRecords(
  kind: Kind,
  before: StoredRecord[],
  now: StoredRecord[],
  models: Model[],
): string[] {
  const expectedRecords = new Map<bigint, StoredRecord>(before.map((one) => [one.id, one]))
  for (const model of models)
    for (const one of model[kind].values()) expectedRecords.set(one.id, one)
  const findings: string[] = []
  const unknown: StoredRecord[] = []
  for (const found of now) {
    const expected = expectedRecords.get(found.id)
    expectedRecords.delete(found.id)
    if (!expected) unknown.push(found)
    else if (exactText(found) !== exactText(expected)) {
      findings.push(`${kind}: ${exactText(found)} is stored instead of ${exactText(expected)}`)
    }
  }
  for (const lost of expectedRecords.values())
    findings.push(`${kind}: ${exactText(lost)} is missing`)
  for (const { id } of unknown) findings.push(`${kind}: nobody created ${id}`)
  return findings
}
