// The records of the template engine. Names are relative to the zone, `@` for the zone itself.

/** A record of a zone, as providers keep it. */
export interface EngineRecord {
  type: string
  name: string
  data: string
  ttl?: number
  /** MX and SRV. */
  priority?: number
  /** SRV. */
  protocol?: string
  service?: string
  weight?: number
  port?: number
  /** By which application of a template it was created, where the provider remembers it. */
  _dc?: AppliedBy
}

export interface AppliedBy {
  id: string
  providerId: string
  serviceId: string
  host: string
  essential: string
}

/** A record of a template, whose values may have variables. */
export interface EngineTemplateRecord {
  type: string
  groupId?: string
  host?: string
  name?: string
  pointsTo?: string
  target?: string
  data?: string
  spfRules?: string
  ttl?: number | string
  priority?: number | string
  protocol?: string
  service?: string
  weight?: number | string
  port?: number | string
  essential?: string
  txtConflictMatchingMode?: string
  txtConflictMatchingPrefix?: string
}

type TemplateProblem =
  | 'InvalidData'
  | 'InvalidTemplate'
  | 'MissingParameter'
  | 'HostRequired'
  | 'TypeError'

/** The template cannot be applied. The message is for people. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError'
  readonly problem: TemplateProblem
  constructor(problem: TemplateProblem, message: string) {
    super(message)
    this.problem = problem
  }
}

const coreTypes = new Set([
  ...['A', 'AAAA', 'CNAME', 'APEXCNAME', 'MX', 'NS', 'SRV', 'TXT', 'SPFM', 'REDIR301', 'REDIR302'],
])
export const isCoreType = (type: string): boolean => coreTypes.has(type)

/** Types and names in one case; the data of TXT and of types that are not known here is kept as it is. */
export function normalised(record: EngineRecord): EngineRecord {
  const type = record.type.toUpperCase()
  const keepsData = type === 'TXT' || !isCoreType(type)
  const { _dc, data, name, protocol, service, ...numbers } = record
  return {
    ...numbers,
    type,
    name: name.toLowerCase(),
    data: keepsData ? data : data.toLowerCase(),
    ...(protocol !== undefined && { protocol: protocol.toLowerCase() }),
    ...(service !== undefined && { service: service.toLowerCase() }),
    ...(_dc && { _dc }),
  }
}

/** Equal apart from TTL and origin. */
export function isSameRecord(a: EngineRecord, b: EngineRecord): boolean {
  const text = ({ _dc, ttl, ...fields }: EngineRecord) =>
    JSON.stringify(Object.entries(fields).toSorted(([x], [y]) => (x < y ? -1 : 1)))
  return text(a) === text(b)
}
