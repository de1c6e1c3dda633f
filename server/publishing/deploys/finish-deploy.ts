// Finishes a deploy: live, in one atomic switch; failed, which changes nothing for visitors; or superseded, if a
// later deploy was faster. Restoring an earlier deploy and promoting a preview are the same switch. A preview's deploy
// is shown at its preview instead. Deploys beyond the limit are removed, and rebuilds that the live one replaces. Before,
// the report of the build is stored with the deploy; its problems are why a strict one fails.

import { type AuditOrigin, recordAudit } from '#kit/audit/record-audit.ts'
import { type Database, findOne, type Session } from '#kit/database/database.ts'
import { locked } from '#kit/database/transactions.ts'
import { AppError } from '#kit/errors.ts'
import { LeaseLostError } from '#kit/jobs/lease.ts'
import { type BuildReport, DeployFailure, sourceProblem } from '#renderer/site-files/site-file.ts'
import { publishingTransaction } from '../database/publishing-state.ts'
import { prepare } from '../database/tables.ts'
import {
  endPreview,
  findPreview,
  getPreview,
  showDeploy,
} from '../previews/records/preview-rows.ts'
import { findProjectById, getProject, targetOf } from '../projects/find-project.ts'
import type { Claim } from './claims.ts'
import { type DeployKey, deployKey, markRemoved } from './records/deploy-row.ts'

const maxMessage = 2000

const finish = prepare.update(
  'deploys',
  {
    state: 'state',
    kind: 'kind',
    finished_at: 'now',
    failure: 'failure',
    failure_file: 'file',
    failure_line: 'line',
    lease: null,
    lease_until: null,
  },
  { ...deployKey, lease: 'lease', state: { value: 'building' } },
  ['number'],
)
const setState = prepare.update(
  'deploys',
  { state: 'to' },
  { ...deployKey, state: 'from', preview: null },
  ['number'],
)
const previewOf = prepare.select('deploys', ['preview'], deployKey)
const makeLive = prepare.update(
  'deploys',
  { state: { value: 'live' }, preview: null },
  { ...deployKey, preview: 'preview', state: { value: 'superseded' } },
  ['number'],
)
const setLive = prepare.update('projects', { live_deploy: 'number' }, { id: 'project' })
const newerPublished = prepare.select(
  'deploys',
  ['number'],
  {
    project_id: 'project',
    number: { '>': 'number' },
    state: { in: ['live', 'superseded'] },
    preview: null,
  },
  { limit: 1 },
)
const ended = prepare.select(
  'deploys',
  ['number', 'state', 'preview', 'rebuild_of'],
  { project_id: 'project', state: { in: ['live', 'superseded', 'failed'] } },
  { orderBy: ['number desc'] },
)

type FinishedBuild = { claim: Claim; kind: 'ready' | 'rendered'; now: number }
type FailedBuild = { claim: Claim; failure: DeployFailure; now: number }

/**
 * Makes a built deploy live, or shows it at its preview. Throws LeaseLostError, and DeployFailure if its preview
 * shows a later deploy.
 */
export const finishDeployTransaction = publishingTransaction(
  async (session, { claim, kind, now }: FinishedBuild): Promise<'live' | 'preview'> => {
    const project = await findProjectById(session, claim.project)
    if (!project) throw new LeaseLostError()
    const name = (await findOne(session, previewOf, claim))?.preview ?? undefined
    const preview = name === undefined ? undefined : await findPreview(session, claim.project, name)
    // It has ended, and its deploys were removed with it.
    if (name !== undefined && !preview) throw new LeaseLostError()
    if (preview && (preview.number ?? 0) > claim.number) {
      throw new DeployFailure(`The preview ${name} already shows a later deploy.`)
    }
    // Also if an earlier deploy was restored in the meantime.
    const isLive = !preview && !(await findOne(session, newerPublished, claim))
    const state = isLive ? 'live' : 'superseded'
    const end = { ...claim, state, kind, now, failure: null, file: null, line: null }
    if (!(await findOne(session, finish, end))) throw new LeaseLostError()
    if (isLive) await switchLive(session, claim, project.liveDeploy)
    if (preview) await showDeploy(session, preview, claim.number)
    await removeOld(session, claim)
    return preview ? 'preview' : 'live'
  },
)

/** Records why a deploy failed. Throws LeaseLostError. */
export const failDeployTransaction = locked(
  async (session, { claim, failure, now }: FailedBuild) => {
    const { file = null, line = null, message } = failure
    const reason = { failure: storable(message), file: file && storable(file), line }
    const end = { ...claim, ...reason, state: 'failed', kind: null, now }
    if (!(await findOne(session, finish, end))) throw new LeaseLostError()
    await removeOld(session, claim)
  },
)

type Restoration = DeployKey & { origin: AuditOrigin }

/** Makes a superseded deploy live again. Throws `conflict` if it is in another state. */
export const restoreDeployTransaction = publishingTransaction(
  async (session, { origin, ...deploy }: Restoration) => {
    const project = await getProject(session, deploy.project)
    if (project.liveDeploy === deploy.number) return
    const change = { ...deploy, from: 'superseded', to: 'live' }
    if (!(await findOne(session, setState, change))) {
      const message = 'Only a superseded deploy can be restored; one of a preview is promoted.'
      throw new AppError('conflict', message)
    }
    await switchLive(session, deploy, project.liveDeploy)
    const detail = { number: deploy.number }
    await recordAudit(session, origin, 'deploy.restored', targetOf(project), detail)
  },
)

/**
 * Makes the deploy that a preview shows live, without a build; the preview ends. Returns the number of the deploy.
 * Throws `preview_not_found`, and `conflict` if none is built.
 */
export const promotePreviewTransaction = publishingTransaction(
  async (session, id: string, name: string, platformHost: string, origin: AuditOrigin) => {
    const project = await getProject(session, id)
    const preview = await getPreview(session, id, name)
    const deploy = { project: id, number: preview.number ?? 0 }
    if (!(await findOne(session, makeLive, { ...deploy, preview: name }))) {
      throw new AppError('conflict', 'The preview has no finished deploy yet. Wait for its build.')
    }
    await switchLive(session, deploy, project.liveDeploy)
    await endPreview(session, preview, platformHost, origin.at)
    await removeOld(session, deploy)
    const detail = { number: deploy.number, preview: name }
    await recordAudit(session, origin, 'deploy.promoted', targetOf(project), detail)
    return deploy.number
  },
)

/** A message may quote deployed content, which may contain any characters. */
function storable(text: string): string {
  const shown = text.replaceAll('\0', '\ufffd').toWellFormed()
  return shown.length > maxMessage ? `${shown.slice(0, maxMessage)}…` : shown
}

async function switchLive(
  session: Session,
  deploy: DeployKey,
  before: number | null,
): Promise<void> {
  if (before !== null) {
    await session.all(setState, { ...deploy, number: before, from: 'live', to: 'superseded' })
  }
  await session.all(setLive, deploy)
}

/** Number of deploys kept in addition to the live one, by state. Those that build earlier sources again count apart. */
const maxKeptDeploys = {
  superseded: { deploys: 10, rebuilds: 5 },
  failed: { deploys: 5, rebuilds: 1 },
}

/** Removes the deploys beyond the newest ones, and rebuilds of the same sources as the live one, which replaces them. */
async function removeOld(session: Session, { project }: DeployKey): Promise<void> {
  const rows = await session.all(ended, { project })
  const live = rows.find(({ state }) => state === 'live')
  for (const [state, max] of Object.entries(maxKeptDeploys)) {
    const left = { ...max }
    for (const { number, preview, rebuild_of, ...row } of rows) {
      // What a preview shows is removed with it.
      if (row.state !== state || (state === 'superseded' && preview !== null)) continue
      const kind = rebuild_of === null ? 'deploys' : 'rebuilds'
      const isOfLive = kind === 'rebuilds' && rebuild_of === live?.rebuild_of
      const isReplaced = isOfLive && state === 'superseded' && number < live.number
      if (isReplaced || left[kind]-- <= 0) await session.all(markRemoved, { project, number })
    }
  }
}

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
    const text = JSON.stringify(report, (_, value) =>
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
  const first = report.items.find(({ severity }) => severity !== 'note')
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
  const stored = JSON.parse(row?.report ?? '[]')
  // Earlier releases stored the items alone.
  const { generator, items } = Array.isArray(stored) ? { items: stored } : stored
  const total = Number(row?.warnings ?? 0n)
  return { total, items: items.map(sourceProblem), ...(generator && { generator }) }
}
