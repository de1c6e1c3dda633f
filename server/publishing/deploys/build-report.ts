// The report of a build: stored with the deploy before it is finished, and the reason of failure of a strict one.

import { type Database, findOne, type Session } from '#kit/database/database.ts'
import { locked } from '#kit/database/transactions.ts'
import { LeaseLostError } from '#kit/jobs/lease.ts'
import { DeployFailure } from '#renderer/site-files/deploy-failure.ts'
import type { BuildReport } from '#renderer/site-files/source-problem.ts'
import { prepare } from '../database/tables.ts'
import type { Claim } from './claims.ts'
import { type DeployKey, deployKey } from './records/deploy-row.ts'

const setReport = prepare.update(
  'deploys',
  { warnings: 'total', report: 'report' },
  { ...deployKey, lease: 'lease', state: { value: 'building' } },
  ['is_strict'],
)
const reportOf = prepare.select('deploys', ['report', 'warnings'], deployKey)

const saveReportTransaction = locked(
  async (session, { claim, report }: { claim: Claim; report: BuildReport }): Promise<boolean> => {
    // PostgreSQL stores no NUL and no lone surrogates.
    const text = JSON.stringify(report.items, (_, value) =>
      typeof value === 'string' ? value.replaceAll('\0', '\ufffd').toWellFormed() : value,
    )
    const saved = await findOne(session, setReport, { ...claim, total: report.total, report: text })
    if (!saved) throw new LeaseLostError()
    return saved.is_strict === 1n
  },
)

/** Throws LeaseLostError, and DeployFailure for problems of a strict deploy. */
export async function saveReport(
  database: Database,
  claim: Claim,
  report: BuildReport,
): Promise<void> {
  const isStrict = await saveReportTransaction(database, { claim, report })
  const [first] = report.items
  if (!isStrict || !first) return
  const others = report.total - 1
  const more = others === 0 ? '' : ` ${others} more ${others === 1 ? 'problem' : 'problems'}.`
  throw new DeployFailure(`${first.message}${more} The deploy is strict.`, {
    file: first.file,
    line: first.line ?? undefined,
  })
}

/** Empty if there is none. */
export async function readReport(session: Session, deploy: DeployKey): Promise<BuildReport> {
  const row = await findOne(session, reportOf, deploy)
  return { total: Number(row?.warnings ?? 0n), items: row?.report ? JSON.parse(row.report) : [] }
}
