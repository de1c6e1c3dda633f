// Runs the connect commands on the local database, with or without a running server.
import { writeFileSync } from 'node:fs'
import {
  CommandError,
  columns,
  formatMinute,
  type Input,
  loadConfig,
  print,
  UsageError,
} from '#cli/command-line/command.ts'
import { withPublishing } from '#cli/command-line/local-database.ts'
import { recordTtlSeconds } from '#doctor/wording.ts'
import { domainNetwork } from '#domains/evidence/gather-evidence.ts'
import { commandLineOrigin } from '#kit/audit/record-audit.ts'
import { systemClock, timeOrNull } from '#kit/clock.ts'
import type { Config } from '#kit/config/config.ts'
import type { Database } from '#kit/database/database.ts'
import { openSecrets, type Secrets } from '#kit/secrets.ts'
import { createTemplate, templateFile } from '../links/connect-template.ts'
import {
  activateConnectKey,
  type ConnectKey,
  createConnectKey,
  listConnectKeys,
  retiredKeyMs,
  writePublicKeyRecords,
} from '../links/signing-keys.ts'
import { checkConnectSetup, findKeyProblem } from './check-setup.ts'

export async function writeTemplate(input: Input): Promise<number> {
  const config = loadConfig()
  const { providerId, serviceId, keyDomain } = templateSettings(config)
  const { logo, 'provider-name': providerName, 'service-name': serviceName } = input.options
  if (logo !== undefined && URL.parse(logo)?.protocol !== 'https:')
    throw new UsageError('--logo accepts an https address')
  // The collection refuses a template without them; all else in it is fixed, or checked with the configuration.
  if (providerName?.trim() === '' || serviceName?.trim() === '')
    throw new UsageError('--provider-name and --service-name accept a name')
  const template = createTemplate({
    ...{ providerId, serviceId, keyDomain, logoUrl: logo },
    providerName: providerName ?? providerId,
    serviceName: serviceName ?? 'Documentation site',
    redirectHost: config.dashboardUrl.hostname,
    platformHost: config.platformHost,
  })
  const text = `${JSON.stringify(template, null, 2)}\n`
  const [file] = input.operands
  if (file === undefined) {
    process.stdout.write(text)
    if (!input.json)
      process.stderr.write(`animal-store: its file is called ${templateFile(template)}\n`)
    return 0
  }
  try {
    writeFileSync(file, text)
  } catch (error) {
    throw new CommandError(`${file} cannot be written: ${(error as Error).message}`)
  }
  print(input, template, `Wrote ${file}. Its name in the collection: ${templateFile(template)}`)
  return 0
}

export async function showKey(input: Input): Promise<undefined> {
  const shown = await withKeys(async ({ database, keyDomain, secrets }) => {
    const before = await listConnectKeys(database.read, secrets)
    const isPending = before.some(({ state }) => state === 'pending')
    const isRotation = input.options.rotate !== undefined
    if (isRotation && isPending)
      throw new CommandError('a new key is pending already: publish it, then run connect check')
    if (before.length === 0 || isRotation) {
      const origin = commandLineOrigin(Date.now())
      const label = await createConnectKey(database, secrets, origin)
      if (label === undefined) throw new CommandError('there are too many keys; wait for a day')
    }
    return { keys: await listConnectKeys(database.read, secrets), keyDomain }
  })
  const keys = shown.keys.map((key) => describeKey(key, shown.keyDomain))
  print(input, keys, textOfKeys(keys))
}

export async function checkSetup(input: Input): Promise<number> {
  const { activated, findings } = await withKeys(async ({ config, database, secrets, ...own }) => {
    const clock = systemClock
    const network = domainNetwork(config, clock)
    const [newest] = await listConnectKeys(database.read, secrets)
    let label: string | undefined
    if (newest?.state === 'pending') {
      const { keyDomain } = own
      const problem = await findKeyProblem({ clock, network }, { ...newest, keyDomain })
      const origin = commandLineOrigin(clock())
      const key = { label: newest.label, origin }
      if (problem === undefined && (await activateConnectKey(database, key))) label = newest.label
    }
    const parts = { clock, network, read: database.read, secrets }
    const results = await checkConnectSetup(config, parts)
    return { activated: label, findings: results.map(({ area: _, ...finding }) => finding) }
  })
  const lines = findings.flatMap(({ fix, message, status, subject }) => [
    `${status.padEnd(8)} ${subject}: ${message}`,
    ...(fix ? [`${' '.repeat(9)}${fix}`] : []),
  ])
  const news = activated === undefined ? [] : [`The key ${activated} signs from now on.`, '']
  print(input, { activated: activated ?? null, findings }, [...news, ...lines].join('\n'))
  return findings.some(({ status }) => status === 'problem') ? 1 : 0
}

interface Keys {
  config: Config
  database: Database
  keyDomain: string
  secrets: Secrets
}

function withKeys<T>(use: (keys: Keys) => Promise<T>): Promise<T> {
  return withPublishing((database, config) => {
    const { keyDomain } = templateSettings(config)
    return use({ config, database, keyDomain, secrets: openSecrets(config) })
  })
}

function templateSettings({ domainConnect: { template } }: Config) {
  if (template) return template
  throw new CommandError('DOMAIN_CONNECT_TEMPLATE is not set: set it to a domain of yours first')
}

function describeKey(key: ConnectKey, keyDomain: string) {
  const { activatedAt, createdAt, label, privateKey, retiredAt, state } = key
  return {
    label,
    state,
    createdAt: timeOrNull(createdAt),
    activatedAt: timeOrNull(activatedAt),
    /** From then on the records can be deleted. */
    unusedFrom: timeOrNull(retiredAt && retiredAt + retiredKeyMs),
    records: writePublicKeyRecords(privateKey).map((value) => ({
      ...{ name: `${label}.${keyDomain}`, type: 'TXT', value },
      ttlSeconds: recordTtlSeconds,
    })),
  }
}

function textOfKeys(keys: ReturnType<typeof describeKey>[]): string {
  const rows = keys.map(({ createdAt, label, state, unusedFrom }) => {
    const created = formatMinute(createdAt === null ? undefined : Date.parse(createdAt))
    const until =
      unusedFrom === null ? '' : `delete its records from ${formatMinute(Date.parse(unusedFrom))}`
    return [label, state, created, until]
  })
  const table = columns([['KEY', 'STATE', 'CREATED', ''], ...rows])
  const [newest] = keys
  if (!newest) return table
  const lines = newest.records.map(
    ({ name, ttlSeconds, type, value }) => `${name}. ${ttlSeconds} IN ${type} "${value}"`,
  )
  const next =
    newest.state === 'pending'
      ? 'Create these records, then run animal-store connect check:'
      : 'Its records:'
  return [table, '', next, '', ...lines].join('\n')
}
