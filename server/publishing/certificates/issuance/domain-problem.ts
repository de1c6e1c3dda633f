// Why a domain's last attempt brought no certificate, kept with the domain for the doctor.
import type { Session } from '../../../platform/database/database.ts'
import { prepareQuery } from '../../database/tables.ts'
import type { FoundDomain } from '../../domains/database/domain-row.ts'

const update = prepareQuery<{ id: string; problem: string | null }>()((db, param) =>
  db
    .updateTable('domains')
    .set({ problem: param('problem') })
    .where('id', '=', param('id')),
)

/** Undefined: all is well again. Within the lock. */
export async function setProblem(
  session: Session,
  id: string,
  problem: FoundDomain['problem'],
): Promise<void> {
  await session.all(update, { id, problem: problem ? JSON.stringify(problem) : null })
}
