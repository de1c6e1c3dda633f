// The template engine of the lab's registrar against the published suites for such engines, and what they leave out.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { expect, it } from 'vitest'
import {
  type Applied,
  applyTemplate,
  type EngineRecord,
  type EngineTemplateRecord,
  TemplateError,
} from '../../lab/registrar/connect/template-engine/apply-template.ts'

interface Case {
  id: string
  input: {
    zone_records: EngineRecord[] | null
    template_records?: EngineTemplateRecord[]
    template?: { records: EngineTemplateRecord[]; hostRequired?: boolean; multiInstance?: boolean }
    domain: string
    host?: string | null
    params?: Record<string, string>
    group_ids?: string[]
    multi_aware?: boolean
    multi_instance?: boolean
    provider_id?: string
    service_id?: string
    unique_id?: string
    redirect_records?: EngineTemplateRecord[] | null
  }
  expect: {
    new_count?: number
    delete_count?: number
    records?: EngineRecord[] | null
    exception?: string
  }
}

/** As the suite says: for redirects of its whole templates. */
const redirects: EngineTemplateRecord[] = [
  { type: 'A', pointsTo: '127.0.0.1', ttl: 600 },
  { type: 'AAAA', pointsTo: '::1', ttl: 600 },
]

const cases: Case[] = readFileSync(join(import.meta.dirname, 'template-suites/cases.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line))

function apply({ input }: Case): Applied {
  const { domain, group_ids: groups = [], host, params = {}, template, unique_id: id } = input
  if (template?.hostRequired && !host)
    throw new TemplateError('HostRequired', 'The template needs a host.')
  const { provider_id: providerId = '', service_id: serviceId = '' } = input
  const isMultiInstance = template?.multiInstance ?? input.multi_instance ?? false
  const redirectRecords = template ? redirects : (input.redirect_records ?? undefined)
  return applyTemplate({
    zone: input.zone_records ?? [],
    records: template?.records ?? input.template_records ?? [],
    domain: domain.toLowerCase(),
    host: (host ?? '').toLowerCase(),
    params,
    groups,
    ...(input.multi_aware && {
      remembers: { providerId, serviceId, isMultiInstance, ...(id !== undefined && { id }) },
    }),
    ...(redirectRecords && { redirectRecords }),
  })
}

/** In the suite's order, with its word for random ids. */
function comparable(records: EngineRecord[]): EngineRecord[] {
  const keyOf = ({ data, name, ttl = 0, type }: EngineRecord) =>
    JSON.stringify([type, name, ttl, data])
  return records
    .map((record) => {
      const isRandom = /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(record._dc?.id ?? '')
      const id = '<test only: random>'
      return record._dc && isRandom ? { ...record, _dc: { ...record._dc, id } } : record
    })
    .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

/** Undefined when the engine does what the case expects. */
function findFault(each: Case): string | undefined {
  const { exception, records } = each.expect
  try {
    const { added, deleted, zone } = apply(each)
    if (exception !== undefined) return `${each.id}: ${exception} expected`
    const isRight =
      added.length === each.expect.new_count &&
      deleted.length === each.expect.delete_count &&
      (records == null || isDeepStrictEqual(comparable(zone), comparable(records)))
    return isRight ? undefined : `${each.id}: ${JSON.stringify(zone)}`
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    return error.problem === exception ? undefined : `${each.id}: ${error.problem}`
  }
}

it('passes all cases of the published suites', () => {
  expect(cases).toHaveLength(291)
  expect(cases.flatMap((each) => findFault(each) ?? [])).toEqual([])
})

it('does not expand a value again, and knows only own variables', () => {
  const at = { zone: [], domain: 'foo.com', host: 'bar' }
  const records = [{ type: 'TXT', host: '@', data: 'a %x% b' }]
  const { added } = applyTemplate({ ...at, records, params: { x: '%domain%' } })
  expect(added[0]?.data).toBe('a %domain% b')
  const inherited = [{ type: 'TXT', host: '@', data: '%toString%' }]
  expect(() => applyTemplate({ ...at, records: inherited, params: {} })).toThrow(
    'The variable toString is missing.',
  )
})
