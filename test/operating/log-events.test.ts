// The closed list of log events: documented, used, and enforced by the types.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createLog, logEvents } from '#kit/log.ts'

const root = join(import.meta.dirname, '../..')

it('is the table of the documentation', () => {
  const page = readFileSync(join(root, 'docs/log-events.md'), 'utf8')
  const rows = [...page.matchAll(/^\| `([\w.]+)` \| (.*) \| (.*) \| (.*) \|$/gm)]
  const table = rows.map(([, event, level, , fields]) => [event, level, fields])
  const list = Object.entries(logEvents).map(([event, { fields, levels }]) => [
    event,
    levels.join(', '),
    fields.map((field) => `\`${field}\``).join(', '),
  ])
  expect(table).toEqual(list)
  for (const [, event, , meaning] of rows) expect(meaning, event).toMatch(/\w.*\.$/)
})

it('has only events that are logged', () => {
  const files = globSync('server/**/*.ts', { cwd: root, exclude: ['**/*.test.ts'] })
  const sources = files
    .map((file) =>
      readFileSync(join(root, file), 'utf8').replace(/const logEvents.*?as const/s, ''),
    )
    .join('\n')
  const unused = Object.keys(logEvents).filter((event) => !sources.includes(`'${event}'`))
  expect(unused).toEqual([])
})

it('has types that refuse an unlisted event, another level and an unlisted field', () => {
  const log = createLog('silent', false)
  log.warn({ event: 'disk.low', freeBytes: 1 }, 'a line')
  // @ts-expect-error: not in the list
  log.warn({ event: 'disk.full' }, 'a line')
  // @ts-expect-error: listed for another level
  log.info({ event: 'disk.low' }, 'a line')
  // @ts-expect-error: not a field of this event
  log.warn({ event: 'disk.low', password: 'x' }, 'a line')
  // @ts-expect-error: no event
  log.warn({ freeBytes: 1 }, 'a line')
})
