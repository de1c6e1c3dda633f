// Hosts that are no longer served: noted in the write that ends it, so that every process cuts what is still
// open, and says when it has.
import { getOne, type Session } from '../platform/database/database.ts'
import { versionNow } from './state.ts'
import { define } from './tables.ts'

const withdraw = define<{ version: bigint; host: string; at: number }>()((db, param) =>
  db
    .insertInto('withdrawn_hosts')
    .values({ version: param('version') as never, host: param('host'), at: param('at') as never })
    .onConflict((conflict) => conflict.columns(['version', 'host']).doNothing()),
)

/**
 * From this commit on the host is not served, inside a write that has changed what is published. Gives the
 * version that each process has to have seen.
 */
export async function withdrawHost(session: Session, host: string, at: number): Promise<bigint> {
  const { version } = await getOne(session, versionNow, {})
  await session.all(withdraw, { version, host, at })
  return version
}
