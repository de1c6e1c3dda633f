import { describe, expect, it } from 'vitest'
import { type Migration, statementsOf } from '../../platform/database/migrate.ts'
import { checkDatabase, findWrittenTables, isCompatible } from './check-upgrade.ts'

const migrations: Migration[] = [
  { id: 1, name: 'first', sql: () => 'create table pets (id int)' },
  { id: 2, name: 'second', sql: () => 'update pets set id = id; create index a on pets (id)' },
]
const first = new Map([[1, statementsOf(migrations[0] as Migration, 'sqlite').checksum]])
const rows = new Map([['pets', 250_000]])

describe('a database before an upgrade', () => {
  it('has pending migrations, with the rows that each goes through', () => {
    expect(checkDatabase('production', 'sqlite', migrations, first, rows)).toEqual({
      name: 'production',
      version: 1,
      newVersion: 2,
      pending: [{ id: 2, name: 'second', rows: 250_000, estimatedSeconds: 3 }],
      problem: undefined,
    })
  })

  it('of a newer program, or with another migration, is a problem', () => {
    const newer = checkDatabase(
      'production',
      'sqlite',
      migrations.slice(0, 1),
      new Map([[2, null]]),
      rows,
    )
    expect(newer.problem).toContain('it has version 2, and this program knows 1')
    const other = checkDatabase('production', 'sqlite', migrations, new Map([[1, 'other']]), rows)
    expect(other.problem).toContain('migration 1 (first) is not')
    expect(
      checkDatabase('production', 'sqlite', migrations, new Map([[1, null]]), rows).problem,
    ).toBe(undefined)
  })
})

it('finds the tables that statements go through', () => {
  const sql = `
    -- update comments set a = 1;
    alter table a add column x text;
    alter table b drop column x;
    insert into c (id) select d.id from d where true;
    insert into c values (1);
    create unique index i on e (id);
    delete from f`
  expect(findWrittenTables(sql)).toEqual(['b', 'd', 'e', 'f'])
})

it('knows which processes may run beside it', () => {
  expect(isCompatible('0.9.0')).toBe(false)
  expect(isCompatible(null)).toBe(true)
  expect(isCompatible('99.0.0')).toBe(true)
})
