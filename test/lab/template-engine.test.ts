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
    template?: { records: EngineTemplateRecord[]; hostRequired?: boolean }
    domain: string
    host?: string | null
    params?: Record<string, string>
    group_ids?: string[]
    multi_aware?: boolean
  }
  expect: {
    new_count?: number
    delete_count?: number
    records?: EngineRecord[] | null
    exception?: string
  }
}

const others = /"type":"(?!(A|AAAA|CNAME|MX|NS|TXT|CAA|!INVALID)")|"_dc/i

/** Without those for other types of records, and for providers that remember which template created a record. */
const cases: Case[] = readFileSync(join(import.meta.dirname, 'template-suites/cases.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line): Case => JSON.parse(line))
  .filter(({ input }) => !input.multi_aware && !others.test(JSON.stringify(input)))

function apply({ input }: Case): Applied {
  const { domain, group_ids: groups = [], host, params = {}, template } = input
  if (template?.hostRequired && !host)
    throw new TemplateError('HostRequired', 'The template needs a host.')
  return applyTemplate({
    zone: input.zone_records ?? [],
    records: template?.records ?? input.template_records ?? [],
    domain: domain.toLowerCase(),
    host: (host ?? '').toLowerCase(),
    params,
    groups,
  })
}

/** In the suite's order. */
function comparable(records: EngineRecord[]): EngineRecord[] {
  const keyOf = ({ data, name, ttl = 0, type }: EngineRecord) =>
    JSON.stringify([type, name, ttl, data])
  return records.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
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
  expect(cases).toHaveLength(214)
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
