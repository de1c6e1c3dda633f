// DATABASE_URL with one server and with several, as libpq reads it.
import { expect, it } from 'vitest'
import { parseDatabaseUrl } from './database-url.ts'

it.each([
  ['postgres://u:p@h/d', ['postgres://u:p@h/d'], false],
  [
    'postgresql://u@h:5433/d?application_name=x',
    ['postgresql://u@h:5433/d?application_name=x'],
    false,
  ],
  ['postgres://u@a:1,b:2/d', ['postgres://u@a:1/d', 'postgres://u@b:2/d'], true],
  [
    'postgres://u@a,[::1]:2/d?target_session_attrs=any',
    ['postgres://u@a/d', 'postgres://u@[::1]:2/d'],
    false,
  ],
  ['postgres://u@/d?host=a,b&port=1,2', ['postgres://u@a:1/d', 'postgres://u@b:2/d'], true],
  ['postgres://u@h/d?target_session_attrs=read-write', ['postgres://u@h/d'], true],
  ['postgres://u@/d?host=/run/postgresql', ['postgres://u@/d?host=%2Frun%2Fpostgresql'], false],
  ['postgres://u@h/d?sslmode=require', ['postgres://u@h/d?sslmode=verify-full'], false],
  ['postgres://u@h/d?sslmode=no-verify', ['postgres://u@h/d?sslmode=no-verify'], false],
])('%s', (text, urls, mustWrite) => {
  expect(parseDatabaseUrl(text)).toMatchObject({ urls, mustWrite })
})

it.each([
  'mysql://u@h/d',
  'postgres://u@a,/d',
  'postgres://u@a:x/d',
  'postgres://u@a:1,b:2:3/d',
  'postgres://u@/d?host=a,b,c&port=1,2',
  'postgres://u@h/d?target_session_attrs=standby',
  'postgres://u@h/d?sslmode=always',
])('refuses %s', (text) => {
  expect(parseDatabaseUrl(text)).toBeUndefined()
})

it('names the servers without credentials', () => {
  expect(parseDatabaseUrl('postgres://u:secret@a,b:6543/d')?.names).toEqual(['a:5432', 'b:6543'])
})
