// More API keys than a page of them.
import { expect, it } from 'vitest'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { placeForTest } from '../place-for-test.ts'
import { query } from '../query.ts'
import { runCommand } from '../served-process.ts'

const count = 10_500

it.each(cases(engines))('keys list shows all of 10,500 keys, oldest first (%s)', async (engine) => {
  const place = await placeForTest(engine)
  const id = 'cast(100000000000 + i as text)'
  // Several keys of each moment.
  await query(
    place,
    'production',
    `with recursive n (i) as (select 0 union all select i + 1 from n where i < ${count - 1})
      insert into api_keys (id, lineage, label, secret_hash, scopes, created_at, deprecated_calls)
      select ${id}, ${id}, 'key ' || i, '', '*', i / 7, 0 from n`,
  )
  const list = ['keys', 'list', '--environment', 'production']
  const { stdout } = await runCommand(place, [...list, '--json'])
  const labels = (JSON.parse(stdout) as { label: string }[]).map(({ label }) => label)
  expect(labels).toEqual(Array.from({ length: count }, (_, i) => `key ${i}`))
  const table = await runCommand(place, list)
  expect(table.stdout.trim().split('\n')).toHaveLength(count + 1)
})
