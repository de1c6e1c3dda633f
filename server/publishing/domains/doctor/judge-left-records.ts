// Whether the records that were to be deleted after a domain was removed are deleted: at all name servers of their zone.
// Only ours count. A CNAME that leads elsewhere, or a TXT record with another value, is not left over. Pure.
import { parsePersistentRecord } from '../../acme/resources/persistent-record.ts'
import type { ServerAddress } from '../../dns/messages/exchange.ts'
import { type NameFacts, type ServerState, stateOf } from '../../dns/name-servers/name-facts.ts'
import type { LeftRecordsFacts } from '../evidence/gather-left-records.ts'
import type { PlainRecord } from './diagnostic.ts'
import { isPointer } from './records-to-delete.ts'
import { counted, listed, plainRecords, serverName, withoutDuplicates } from './wording.ts'

export const leftRecordStates = ['unchecked', 'present', 'unknown', 'deleted'] as const
export type LeftRecordState = (typeof leftRecordStates)[number]

/** What one name server answers. `notAsked`: the limit of queries or the time was over. */
export interface LeftAt {
  name: string | null
  address: string
  answer: 'present' | 'deleted' | 'unknown'
  state: ServerState | 'not_asked'
}

/** A record to delete, with what the last check found. */
export interface LeftRecord extends PlainRecord {
  state: LeftRecordState
  /** What was found, as sentences; null before the first check. */
  detail: string | null
  servers: LeftAt[]
  /** What the record allowed, where it matters. */
  note: string | null
}

/** A zone can have pointers that differ from one server to the next. */
const maxRecordsOfName = 12
/** TXT records can be long. */
const maxValueLength = 1000

export const uncheckedRecord = (record: PlainRecord, note: string | null = null): LeftRecord => ({
  ...record,
  ...{ state: 'unchecked', detail: null, servers: [], note },
})

/** The most urgent state of all; `deleted` when every record is. */
export function stateOfAll(records: readonly Pick<LeftRecord, 'state'>[]): LeftRecordState {
  const order = ['present', 'unchecked', 'unknown'] as const
  return order.find((state) => records.some((record) => record.state === state)) ?? 'deleted'
}

/** The records that were told, and pointers to us that were found beside them. */
export function judgeLeftRecords(
  told: readonly LeftRecord[],
  facts: LeftRecordsFacts,
): LeftRecord[] {
  return facts.names.flatMap((name) => {
    const known = told.filter((record) => record.name === name.name)
    const answers = answersOf(name.servers).map((answer) => ({
      ...answer,
      records: answer.facts === undefined ? [] : oursIn(answer.facts, name, known, facts),
    }))
    const found = withoutDuplicates(answers.flatMap(({ records }) => records))
    const others = found
      .filter((record) => !known.some((each) => isSame(each, record)))
      .slice(0, Math.max(0, maxRecordsOfName - known.length))
    return [...known, ...others.map((record) => uncheckedRecord(record))].map((record) =>
      judge(record, answers, name.isUnregistered),
    )
  })
}

interface Answer {
  server: ServerAddress
  state: LeftAt['state']
  /** Undefined without an answer. */
  facts: NameFacts | undefined
  records: PlainRecord[]
}

/** Without further addresses of a name server for which no queries were left. */
function answersOf(servers: LeftRecordsFacts['names'][number]['servers']) {
  const isAsked = (facts: NameFacts): boolean => stateOf(facts) !== undefined
  const asked = new Set(
    servers.flatMap(({ facts, server }) => (isAsked(facts) ? [serverName(server)] : [])),
  )
  return servers.flatMap(({ facts, server }) => {
    if (!isAsked(facts) && asked.has(serverName(server))) return []
    const state = stateOf(facts) ?? ('not_asked' as const)
    return [{ server, state, facts: facts.kind === 'failure' ? undefined : facts }]
  })
}

function oursIn(
  facts: NameFacts,
  { isPointer: isHost, name }: LeftRecordsFacts['names'][number],
  told: readonly PlainRecord[],
  { addresses, targets }: LeftRecordsFacts,
): PlainRecord[] {
  if (facts.kind !== 'records') return []
  if (!isHost) {
    return plainRecords(facts.others).filter((found) => told.some((each) => isSame(each, found)))
  }
  const wasTold = (value: string): boolean => told.some((record) => record.value === value)
  const pointsToUs = isPointer({
    host: name,
    addresses: [...addresses, ...told.map(({ value }) => value)],
    leadsToUs(target) {
      const { leadsTo = 'unknown' } = targets.find((each) => each.target === target) ?? {}
      return leadsTo === 'us' || (leadsTo === 'unknown' && wasTold(target))
    },
  })
  return plainRecords([...facts.cname, ...facts.addresses].filter(pointsToUs))
}

/** A persistent record counts as long as it names the account, whatever else it says. */
function isSame(told: PlainRecord, found: PlainRecord): boolean {
  if (told.name !== found.name || told.type !== found.type) return false
  if (told.value === found.value) return true
  const [ours, other] = [parsePersistentRecord(told.value), parsePersistentRecord(found.value)]
  return (
    told.type === 'TXT' &&
    ours !== undefined &&
    ours.issuer === other?.issuer &&
    ours.accountUri === other.accountUri
  )
}

function judge(
  record: LeftRecord,
  answers: readonly Answer[],
  isUnregistered: boolean,
): LeftRecord {
  const same = answers.map(({ records }) => records.find((found) => isSame(record, found)))
  const servers = answers.map(
    ({ server, state, facts }, i): LeftAt => ({
      ...{ name: server.name ?? null, address: server.address, state },
      answer: facts === undefined ? 'unknown' : same[i] ? 'present' : 'deleted',
    }),
  )
  const found = same.find((each) => each !== undefined)
  const isAnswered = servers.length > 0 && servers.every(({ answer }) => answer !== 'unknown')
  const state = found ? 'present' : isAnswered || isUnregistered ? 'deleted' : 'unknown'
  return {
    ...record,
    // Of a persistent record, what it says now.
    ...(found && { value: found.value.slice(0, maxValueLength), ttlSeconds: found.ttlSeconds }),
    ...{ state, servers },
    detail: isUnregistered ? 'The domain is not registered any more.' : describe(servers),
  }
}

function describe(servers: readonly LeftAt[]): string {
  if (servers.length === 0) return 'The name servers of its zone could not be found.'
  const all = counted(servers.length, 'name server')
  const having = servers.filter(({ answer }) => answer === 'present')
  const without = servers.filter(({ answer }) => answer === 'deleted').length
  const failures = Map.groupBy(
    servers.filter(({ answer }) => answer === 'unknown'),
    ({ state }) => state,
  )
  const unknown = [...failures].map(
    ([state, some]) => `${namesOf(some)} ${failureWords[state] ?? 'failed'}.`,
  )
  if (having.length > 0) {
    const where = having.length === servers.length ? `all ${all}` : `${having.length} of ${all}`
    return [`Still there at ${where}: ${namesOf(having)}.`, ...unknown].join(' ')
  }
  if (unknown.length === 0) return `Not found at ${servers.length === 1 ? '' : 'any of '}${all}.`
  return [...unknown, ...(without > 0 ? [`Not found at ${without} of ${all}.`] : [])].join(' ')
}

const namesOf = (servers: readonly LeftAt[]): string =>
  listed(servers.map(({ address, name }) => name ?? address))

const failureWords: Record<LeftAt['state'], string> = {
  ok: 'responded',
  lame: 'did not answer with authority for the zone',
  refused: 'refused the query',
  timeout: 'did not respond',
  error: 'responded with an error',
  not_asked: 'could not be asked in time',
}
