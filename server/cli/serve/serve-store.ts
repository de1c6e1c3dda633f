// Runs serve: prepares the databases, starts one process or several, prints the addresses, stops gracefully.
import cluster from 'node:cluster'
import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { linkAddress } from '#accounts/people/links.ts'
import { replaceUnreadable } from '#domains/certificates/open-certificates.ts'
import { systemClock } from '#kit/clock.ts'
import { beWorker, type Ports, startWorkers } from '#kit/cluster.ts'
import {
  type Config,
  findConfigWarnings,
  findMisspeltSettings,
  localOnly,
} from '#kit/config/config.ts'
import type { Report } from '#kit/database/engines/migrate.ts'
import { findUnknownKeys } from '#kit/database/re-encrypt.ts'
import { createFolder, giveUpReserve, isDiskFull, keepReserve, readFreeBytes } from '#kit/disk.ts'
import { requireOpenFiles } from '#kit/http/listener/clients.ts'
import { repeatWhileAway, waitForDatabase } from '#kit/jobs/wait-for-database.ts'
import { createLog, type Logger } from '#kit/log.ts'
import { allInOrder } from '#kit/promises.ts'
import { openSecrets } from '#kit/secrets.ts'
import { preparePublishing } from '#publishing/prepare-publishing.ts'
import { firstProjectSlug, siteOriginOf } from '#publishing/projects/site-origin.ts'
import type { EnvironmentName } from '#store/database/environment-name.ts'
import { createFirstKeys } from '#store/environments/first-start.ts'
import { prepareStore } from '#store/prepare-store.ts'
import type { Running } from '../../main.ts'
import { withAllSecrets } from '../backups/stored-contents.ts'
import { columns, describeFailure, loadConfig } from '../command-line/command.ts'
import { withPublishing } from '../command-line/local-database.ts'

/** Serves until a signal; a worker of the cluster until the primary process stops it. */
export async function serveStore(json: boolean): Promise<undefined> {
  const config = loadConfig()
  const log = createLog(config.logLevel, process.stderr.isTTY === true)
  if (cluster.isWorker) {
    await beWorker(async (allMetrics) => {
      const { start } = await import('../../main.ts')
      const running = await start(config, log, { allMetrics })
      flushCompileCache() // makes the next start faster, even when this process is killed
      const metrics = (): Promise<unknown> => running.metrics.registry.getMetricsAsJSON()
      return { ports: portsOf(running), metrics, stop: running.stop }
    }, describeFailure)
    return undefined
  }
  for (const warning of findConfigWarnings(config))
    log.warn({ event: 'configuration.unsafe' }, warning)
  for (const warning of findMisspeltSettings(process.env))
    log.warn({ event: 'configuration.misspelt' }, warning)
  requireOpenFiles(log)
  const stopped = nextSignal()
  warnIfOpen(config.dataDir, log)
  const preparing = prepareUnlessStopped(config, log, stopped)
  // Loads while the database is waited for.
  if (config.workers === 1) await Promise.race([preparing, import('../../main.ts')])
  const { keys, setUpToken } = await preparing
  const handOverAt = (port: number) => {
    const shown = { ...config, dashboardUrl: new URL(moved(config, port, config.dashboardUrl)) }
    const link = setUpLink(shown, setUpToken)
    return { shown, ...handOver({ keys, setUpLink: link }, config, log) }
  }
  // Before anything is served: a client that gets a response finds the keys, and a crash meanwhile loses none.
  const handedOver = handOverAt(config.httpPort)
  const { ports, stop } =
    config.workers > 1
      ? await startWorkers(config.workers, config.drainSeconds * 1000, log)
      : await startAlone(config, log)
  const { http: port, https: httpsPort } = ports
  const { credentials, credentialsFile, shown } =
    port === config.httpPort ? handedOver : handOverAt(port)
  process.stdout.write(
    json
      ? `${JSON.stringify({ port, httpsPort, ...credentials, credentialsFile })}\n`
      : welcome(config, shown, ports, credentials, credentialsFile),
  )
  const signal = await stopped
  log.info({ event: 'server.stopping', signal }, 'stopping')
  await stop()
  // Timers that are still active would only delay the exit.
  process.exit(0)
}

/** Waits for the database, and prepares it. A signal ends the process meanwhile. */
async function prepareUnlessStopped(config: Config, log: Logger, stopped: Promise<string>) {
  const stopping = new AbortController()
  void stopped.then(() => stopping.abort())
  const { signal } = stopping
  const report: Report = (message) => log.warn({ event: 'database.migration_waiting' }, message)
  const { dataDir, databaseUrl } = config
  const ownsDisk = databaseUrl === undefined
  if (ownsDisk && existsSync(dataDir) && isDiskFull(dataDir)) {
    const freeBytes = readFreeBytes(dataDir)
    const text = `the disk of ${dataDir} (DATA_DIR) is full: free space on it; until then only reads are served`
    log.error({ event: 'disk.full', dataDir, freeBytes }, text)
    giveUpReserve(dataDir)
  }
  const firstKeys = createFirstKeys()
  const prepare = async () => {
    const [keys, setUpToken] = await allInOrder([
      prepareStore(config, systemClock, report, firstKeys),
      preparePublishing(config, systemClock, report),
    ])
    await reportMissingKeys(log)
    if (ownsDisk) keepReserve(dataDir)
    return { keys, setUpToken }
  }
  try {
    await waitForDatabase(config, log, signal)
    signal.throwIfAborted()
    return await repeatWhileAway('preparing the database', log, prepare, signal)
  } catch (error) {
    if (signal.aborted) process.exit(0)
    throw error
  }
}

async function startAlone(
  config: Config,
  log: Logger,
): Promise<{ ports: Ports; stop: Running['stop'] }> {
  const { start } = await import('../../main.ts')
  const running = await start(config, log)
  flushCompileCache()
  return { ports: portsOf(running), stop: running.stop }
}

/** The data folder contains keys, password hashes and certificates. */
function warnIfOpen(dataDir: string, log: Logger): void {
  const mode = statSync(dataDir, { throwIfNoEntry: false })?.mode ?? 0
  if ((mode & 0o077) === 0) return
  log.warn(
    { event: 'data_folder.open', dataDir, mode: (mode & 0o777).toString(8) },
    `other users of this machine can open the data folder: run chmod -R go= '${dataDir}'`,
  )
}

/** What may be printed: everything on a terminal, otherwise only the path of a file that has it. */
function handOver(
  credentials: FirstCredentials,
  { dataDir }: Config,
  log: Logger,
): { credentials: FirstCredentials; credentialsFile?: string } {
  const none = { keys: {}, setUpLink: undefined }
  if (process.stdout.isTTY || !hasCredentials(credentials)) return { credentials }
  try {
    return { credentials: none, credentialsFile: writeCredentials(dataDir, credentials) }
  } catch (error) {
    const message =
      'the first API keys and the set-up link could not be written to the data folder: start on a terminal, and create keys with animal-store keys create'
    log.warn({ event: 'credentials.not_written', dataDir, err: error }, message)
    return { credentials: none }
  }
}

function portsOf({ config }: Running): Ports {
  return { http: config.httpPort, https: config.httpsPort }
}

/** The first signal to stop. Later ones are ignored: stopping has a time limit. */
function nextSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => resolve(signal))
  })
}

/** A URL with the port that was bound. */
function moved(config: Config, port: number, url: URL): string {
  return url.href.replace(`:${config.httpPort}/`, `:${port}/`)
}

function setUpLink({ dashboardUrl }: Config, token: string | undefined): string | undefined {
  return token === undefined ? undefined : linkAddress(dashboardUrl, 'set_up', token)
}

/** The text for people. On a terminal it contains the keys at the first start; they are never logged. */
function welcome(
  config: Config,
  shown: Config,
  { http: port, https: httpsPort }: Ports,
  { keys, setUpLink: link }: FirstCredentials,
  credentialsFile: string | undefined,
): string {
  const address = (url: URL): string => moved(config, port, url)
  const [production, staging] = [address(config.baseUrl), address(config.stagingBaseUrl)]
  const lines = [
    '',
    'Animal Store is running',
    '',
    columns([
      ['Production', production],
      ['Staging', staging],
      ['Dashboard', shown.dashboardUrl.href],
      ...(config.firstProject
        ? [['First project', `${siteOriginOf(shown)(firstProjectSlug)}/`]]
        : []),
      ['HTTPS', httpsPort === undefined ? 'off' : `on port ${httpsPort}`],
      ...(config.listenAddress === localOnly
        ? [
            [
              'Open to',
              'this machine only; set BASE_URL and PLATFORM_HOST to public names, or LISTEN_ADDRESS=::',
            ],
          ]
        : []),
    ]),
  ]
  if (link) lines.push('Create the first account, an operator, at:', '', `  ${link}`, '')
  const made = [
    ['Production', keys.production],
    ['Staging', keys.staging],
  ].filter((row): row is string[] => !!row[1])
  if (credentialsFile)
    lines.push(
      'The first API keys and the link to create the first account are in a file that only this user can read.',
      'Store them, then delete it:',
      '',
      `  ${credentialsFile}`,
      '',
    )
  else if (made.length > 0) lines.push('The first API keys, shown only once:', '', columns(made))
  else
    lines.push(
      'API keys: animal-store keys create --environment staging --label "my first key"',
      '',
    )
  const key = keys.staging ?? '<API_KEY>'
  lines.push(
    'List animals, add one, and find those that can be sold:',
    '',
    `  curl -H 'Authorization: Bearer ${key}' '${staging}/pets?limit=3'`,
    `  curl -H 'Authorization: Bearer ${key}' '${staging}/pets' -H 'Content-Type: application/json' -d '{"name":"Rex","categoryId":1}'`,
    `  curl -H 'Authorization: Bearer ${key}' '${staging}/pets?status=available'`,
    '',
    '',
  )
  return lines.join('\n')
}

/**
 * The secrets of a first start: API keys and the set-up link. They are shown on a terminal only. Otherwise standard output
 * is a log that others read and keep, so that they go to a file of mode 0600 in the data folder.
 */
interface FirstCredentials {
  keys: Partial<Record<EnvironmentName, string>>
  /** Undefined once there is an account. */
  setUpLink: string | undefined
}

function hasCredentials({ keys, setUpLink }: FirstCredentials): boolean {
  return setUpLink !== undefined || Object.keys(keys).length > 0
}

/**
 * Writes them to a file and returns its path. Keys of an earlier start that are still there are kept, because they
 * cannot be shown again. Throws if the folder cannot be written.
 */
function writeCredentials(dataDir: string, credentials: FirstCredentials): string {
  createFolder(dataDir)
  const path = join(dataDir, 'first-credentials.json')
  const { keys, setUpLink } = credentials
  const content = { keys: { ...readKeys(path), ...keys }, setUpLink }
  const draft = `${path}.${process.pid}`
  rmSync(draft, { force: true })
  writeFileSync(draft, `${JSON.stringify(content, undefined, 2)}\n`, { mode: 0o600, flag: 'wx' })
  renameSync(draft, path)
  return path
}

function readKeys(path: string): FirstCredentials['keys'] {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).keys
  } catch {
    return {}
  }
}

/**
 * Logs the encryption keys that stored secrets need and that are missing. Everything else works without them, so that nobody
 * would notice before the first certificate or webhook.
 */
async function reportMissingKeys(log: Logger): Promise<void> {
  const missing = await withAllSecrets(async (stored, config) => {
    const secrets = openSecrets(config)
    const unknown = await findUnknownKeys(stored, secrets)
    // Creates the key at the first start: doctor and backup rely on it.
    secrets.keyId()
    return unknown
  })
  for (const [keyId, secrets] of missing) {
    const replaced = await withPublishing((database) =>
      replaceUnreadable(database, keyId, systemClock()),
    )
    const next =
      replaced === undefined
        ? 'Nothing is issued again while other processes are running.'
        : `${replaced} certificates are issued again.`
    log.error(
      { event: 'encryption_key.missing', keyId, secrets },
      `the encryption key ${keyId} of ${secrets} stored secrets is missing: put your copy of secret.key into DATA_DIR, or add it to SECRET_KEY, and restart. ${next}`,
    )
  }
}
