// Counts the deploys that are waiting or being built, for operators.
import { type Database, findOne } from '../../platform/database/database.ts'
import { prepareQuery } from '../database/tables.ts'

const underWay = prepareQuery()((db) =>
  db
    .selectFrom('deploys')
    .select((eb) => eb.fn.countAll<bigint>().as('count'))
    .where('state', 'in', ['uploaded', 'building']),
)

export async function countDeploysUnderWay({ read }: Database): Promise<number> {
  return Number((await findOne(read, underWay, {}))?.count ?? 0)
}
