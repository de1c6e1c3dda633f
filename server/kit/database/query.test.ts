import { expect, it } from 'vitest'
import { type Statement, statementsFor } from './query.ts'

const prepare = statementsFor<{ pets: { id: string; n: bigint; name: string | null } }>()
const sqlOf = (query: { on(engine: 'sqlite'): Statement }) =>
  query.on('sqlite').sql.replaceAll('"', '')

it('takes columns with parameters and with values', () => {
  const removed = prepare.delete('pets', { id: 'id', name: { value: 'Rex' }, n: 0n }, ['id'])
  expect(sqlOf(removed)).toBe('delete from pets where (id = ? and name = ? and n = ?) returning id')
  expect(removed.on('postgres').bind({ id: 'a' })).toEqual(['a', 'Rex', 0n])
  expect(sqlOf(prepare.select('pets', ['n'], { name: null }))).toBe(
    'select n from pets where name is null',
  )
})

it('adds to a column, and replaces a row with the same key', () => {
  const moved = prepare.update('pets', { n: { add: 'by' }, name: null }, { id: 'id' })
  expect(sqlOf(moved)).toBe('update pets set n = n + ?, name = ? where id = ?')
  expect(moved.on('postgres').bind({ id: 'a', by: 2n })).toEqual([2n, null, 'a'])
  expect(sqlOf(prepare.upsert('pets', { id: 'id' }, { name: 'name' }))).toBe(
    'insert into pets (id, name) values (?, ?) on conflict (id) do update set name = ?',
  )
})

it('compares, orders and limits, with parameters and values', () => {
  const due = prepare.select(
    'pets',
    ['id'],
    { n: { '>': 'after', '<=': 9n }, name: { 'is not': null }, id: { in: ['a', 'b'] } },
    { orderBy: ['n desc', 'id'], limit: 'max' },
  )
  expect(sqlOf(due)).toBe(
    'select id from pets where (n > ? and n <= ? and name is not null and id in (?, ?)) order by n desc, id limit ? + 0',
  )
  const bound = due.on('postgres').bind({ after: 1n, max: 5n })
  expect(bound).toEqual([1n, 9n, 'a', 'b', 5n])
  expect(sqlOf(prepare.count('pets', { name: { '!=': { value: 'Rex' } } }))).toBe(
    'select count(*) as count from pets where name != ?',
  )
})

it('gives a new row values that a replaced one does not get', () => {
  const seen = prepare.upsert('pets', { id: 'id' }, { n: 'now' }, { name: { value: 'new' } })
  expect(sqlOf(seen)).toBe(
    'insert into pets (id, n, name) values (?, ?, ?) on conflict (id) do update set n = ?',
  )
})
