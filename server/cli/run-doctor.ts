// Runs doctor: the checks of the System page on this machine, with or without a running server. Nothing is created:
// what the first start creates is reported as missing.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createAuthorityClients } from '#domains/certificates/authorities/authorities.ts'
import { domainNetwork } from '#domains/evidence/gather-evidence.ts'
import { openBackups } from '#kit/backups/open-backups.ts'
import { systemClock } from '#kit/clock.ts'
import { type Config, ConfigError } from '#kit/config/config.ts'
import type { Database } from '#kit/database/database.ts'
import { openDatabase } from '#kit/database/engines/open.ts'
import { createLog } from '#kit/log.ts'
import { keyFileIn, openSecrets } from '#kit/secrets.ts'
import type { SystemChecks } from '#kit/system/schema.ts'
import { invalidConfiguration } from '#system-checks/check-installation.ts'
import { openSystemChecks } from '#system-checks/open-system-checks.ts'
import { knownDatabases } from '../known-databases.ts'
import { type Input, loadConfig, print } from './command-line/command.ts'
import { createWaitingLine } from './command-line/progress.ts'

export async function runDoctor(input: Input): Promise<number> {
  const waiting = createWaitingLine(process.stderr, Date.now)
  waiting.say('Checking')
  const checks = await check().finally(waiting.end)
  print(input, checks, textOf(checks))
  return checks.status === 'problem' ? 1 : 0
}

async function check(): Promise<SystemChecks> {
  try {
    return await checkInstallation(loadConfig())
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return {
      ranAt: new Date().toISOString(),
      milliseconds: 0,
      status: 'problem',
      findings: [invalidConfiguration(error.message)],
    }
  }
}

async function checkInstallation(config: Config): Promise<SystemChecks> {
  const clock = systemClock
  const authorities = createAuthorityClients(config.acme, clock)
  const databases = knownDatabases.map((each) => ({
    ...each,
    database: openExisting(config, each.name),
  }))
  const limits = databases.find(({ name }) => name === 'limits')?.database
  const hasKey = config.secretKeys.length > 0 || existsSync(keyFileIn(config.dataDir))
  const run = openSystemChecks({
    config,
    clock,
    databases,
    authorities,
    network: domainNetwork(config, clock),
    secrets: hasKey ? openSecrets(config) : undefined,
    async readBackups() {
      if (!limits) throw new Error('no database')
      const log = createLog('silent', false)
      return await openBackups({ config, database: limits, clock, log }).status()
    },
  })
  try {
    return await run()
  } finally {
    authorities.close()
    await Promise.all(databases.map(({ database }) => database?.close()))
  }
}

/** Undefined on SQLite if there is no file: opening one would create it. */
function openExisting(config: Config, name: string): Database | undefined {
  const { databaseUrl, dataDir } = config
  if (databaseUrl === undefined && !existsSync(join(dataDir, `${name}.db`))) return undefined
  return openDatabase(config, name, { onError: () => {} })
}

/** A line for each finding, and what to do below it. */
function textOf({ findings }: SystemChecks): string {
  const lines = findings.flatMap(({ area, fix, message, status, subject }) => {
    const what = subject === '' ? area : `${area}, ${subject}`
    return [`${status.padEnd(8)} ${what}: ${message}`, ...(fix ? [`${' '.repeat(9)}${fix}`] : [])]
  })
  return [...lines, '', summaryOf(findings)].join('\n')
}

function summaryOf(findings: SystemChecks['findings']): string {
  const countOf = (status: string) => findings.filter((each) => each.status === status).length
  const [problems, warnings] = [countOf('problem'), countOf('warning')]
  if (problems + warnings === 0) return 'No problems.'
  const text = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`
  return `${text(problems, 'problem')}, ${text(warnings, 'warning')}.`
}
