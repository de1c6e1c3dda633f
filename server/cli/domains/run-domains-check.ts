// Runs domains check: the doctor's findings for a host, without adding it and without an account.
import { writeFileSync } from 'node:fs'
import type { Evidence } from '#doctor/evidence.ts'
import { readHostname } from '#doctor/hostname.ts'
import { type Plan, readPlan } from '#doctor/plan-records.ts'
import { diagnosisToJson, formatDiagnosis } from '#doctor/rules/format-diagnosis.ts'
import { checkDomain, gatheringContextOf, unclaimed } from '#domains/evidence/gather-evidence.ts'
import { systemClock } from '#kit/clock.ts'
import { ownHostsOf } from '#kit/config/config.ts'
import { CommandError, type Input, loadConfig, readText } from '../command-line/command.ts'
import { createWaitingLine } from '../command-line/progress.ts'
import { textOptions } from './follow-domain.ts'

export async function runDomainsCheck({ json, operands, options }: Input): Promise<number> {
  const config = loadConfig()
  const { platformHost } = config
  const own = { hosts: ownHostsOf(config), platformHost }
  const { ok: subject, refused } = readHostname(operands[0] ?? '', own)
  if (refused !== undefined) throw new CommandError(refused)
  const plan =
    options.planned === undefined
      ? undefined
      : readPlanFile(options.planned, subject.registrableDomain)
  const waiting = createWaitingLine(process.stderr, Date.now)
  const context = { ...gatheringContextOf(config, systemClock), onStep: waiting.say }
  const check = await checkDomain(context, unclaimed(config, subject), plan).finally(waiting.end)
  const { evidence, judged, problems } = check
  if (options.evidence !== undefined) writeEvidence(options.evidence, evidence)
  for (const problem of problems) process.stderr.write(`animal-store: ${problem}\n`)
  process.stdout.write(
    json
      ? `${JSON.stringify({ host: subject.host, ...diagnosisToJson(judged) })}\n`
      : formatDiagnosis(judged, textOptions()),
  )
  const isBlocked = judged.diagnostics.some(({ severity }) => severity === 'blocks')
  return judged.result === 'ok' && !isBlocked ? 0 : 1
}

function writeEvidence(file: string, evidence: Evidence): void {
  try {
    writeFileSync(file, `${JSON.stringify(evidence, undefined, 2)}\n`)
  } catch (error) {
    throw new CommandError(`${file} cannot be written: ${(error as Error).message}`)
  }
}

function readPlanFile(file: string, zone: string): Plan {
  const plan = readPlan(readText(file), zone)
  const [problem] = plan.problems
  const name = file === '-' ? 'standard input' : file
  if (problem !== undefined) throw new CommandError(`${name}: ${problem}`)
  if (plan.records.length + plan.removed.length === 0) {
    throw new CommandError(`${name} has no records`)
  }
  return plan
}
