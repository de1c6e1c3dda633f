// A statement is compiled once for a connection, whatever its parameters are.
import { constants, DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { queriesFor } from './query.ts'
import { createSession } from './sqlite-session.ts'

it('compiles a statement with a limit once', async () => {
  const connection = new DatabaseSync(':memory:')
  onTestFinished(() => connection.close())
  connection.exec(
    'create table rows (id integer primary key); insert into rows values (1), (2), (3)',
  )
  let compiled = 0
  // Called for each part of a statement that is compiled.
  connection.setAuthorizer((action) => {
    if (action === constants.SQLITE_SELECT) compiled++
    return constants.SQLITE_OK
  })
  const session = createSession(connection)
  const query = queriesFor<{ rows: { id: bigint } }>()<{ limit: number }>()((db, param) =>
    db.selectFrom('rows').select('id').orderBy('id').limit(param('limit')),
  )
  for (const limit of [1, 2, 3]) {
    expect(await session.tuples(query, { limit })).toHaveLength(limit)
  }
  expect(compiled).toBe(1)
})
