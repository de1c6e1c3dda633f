// What serve does: prepares the databases, starts one process or several, says where everything is, stops gracefully.
import cluster from 'node:cluster'
import { flushCompileCache } from 'node:module'
import type { Running } from '../../main.ts'
import { linkAddress } from '../../platform/accounts/links.ts'
import { systemClock } from '../../platform/clock.ts'
import { beWorker, type Ports, startWorkers } from '../../platform/cluster.ts'
import type { Config } from '../../platform/config/config.ts'
import { createLog, type Logger } from '../../platform/log.ts'
import { preparePublishing } from '../../publishing/prepare-publishing.ts'
import { firstProjectSlug, siteOriginOf } from '../../publishing/projects/site-origin.ts'
import { prepareStore } from '../../store/prepare-store.ts'
import { describeFailure, loadConfig } from '../command-line/command.ts'
import { columns } from '../command-line/help.ts'

interface Prepared {
  keys: Awaited<ReturnType<typeof prepareStore>>
  /** As long as there is no account. */
  setUpToken: string | undefined
}

/** Serves until a signal asks for an end; a worker of a cluster until it is told to stop. */
export async function serveStore(json: boolean): Promise<undefined> {
  const config = loadConfig()
  const log = createLog(config.logLevel, process.stderr.isTTY === true)
  if (cluster.isWorker) {
    await beWorker(async (allMetrics) => {
      const { start } = await import('../../main.ts')
      const running = await start(config, log, { allMetrics })
      flushCompileCache() // the next start is faster, however this one ends
      const metrics = (): Promise<unknown> => running.metrics.registry.getMetricsAsJSON()
      return { ports: portsOf(running), metrics, stop: running.stop }
    }, describeFailure)
    return undefined
  }
  const stopped = nextSignal()
  const keys = await prepareStore(config, systemClock)
  const setUpToken = await preparePublishing(config, systemClock)
  const { ports, stop } =
    config.workers > 1 ? await startWorkers(config.workers, log) : await startAlone(config, log)
  const { http: port, https: httpsPort } = ports
  const prepared = { keys, setUpToken }
  const shown = { ...config, dashboardUrl: new URL(moved(config, port, config.dashboardUrl)) }
  process.stdout.write(
    json
      ? `${JSON.stringify({ port, httpsPort, keys, setUpLink: setUpLink(shown, setUpToken) })}\n`
      : welcome(config, shown, ports, prepared),
  )
  const signal = await stopped
  log.info({ signal }, 'stopping')
  await stop()
  // Whatever still has a timer would only delay the end.
  process.exit(0)
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

function portsOf({ config }: Running): Ports {
  return { http: config.httpPort, https: config.httpsPort }
}

/** The first signal that asks for an end. Further ones change nothing: that end has its time limit. */
function nextSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => resolve(signal))
  })
}

/** An address with the port that was really bound. */
function moved(config: Config, port: number, url: URL): string {
  return url.href.replace(`:${config.httpPort}/`, `:${port}/`)
}

function setUpLink({ dashboardUrl }: Config, token: string | undefined): string | undefined {
  return token === undefined ? undefined : linkAddress(dashboardUrl, 'set_up', token)
}

/** What a person sees at the start. The keys are in it once, at the first start, and in no log. */
function welcome(
  config: Config,
  shown: Config,
  { http: port, https: httpsPort }: Ports,
  { keys, setUpToken }: Prepared,
): string {
  const address = (url: URL): string => moved(config, port, url)
  const [production, staging] = [address(config.baseUrl), address(config.stagingBaseUrl)]
  const lines = [
    '',
    'Animal Store serves',
    '',
    columns([
      ['Production', production],
      ['Staging', staging],
      ['Dashboard', shown.dashboardUrl.href],
      ...(config.firstProject
        ? [['First project', `${siteOriginOf(shown)(firstProjectSlug)}/`]]
        : []),
      ['HTTPS', httpsPort === undefined ? 'off' : `on port ${httpsPort}`],
    ]),
  ]
  const link = setUpLink(shown, setUpToken)
  if (link) lines.push('Make the first account, an operator, at:', '', `  ${link}`, '')
  const made = [
    ['Production', keys.production],
    ['Staging', keys.staging],
  ].filter((row): row is string[] => !!row[1])
  if (made.length > 0) lines.push('The first API keys, shown this once:', '', columns(made))
  else
    lines.push(
      'API keys: animal-store keys create --environment staging --label "my first key"',
      '',
    )
  const key = keys.staging ?? '<API_KEY>'
  lines.push(
    'List, add and fetch an animal:',
    '',
    `  curl -H 'Authorization: Bearer ${key}' '${staging}/pets?limit=3'`,
    `  curl -H 'Authorization: Bearer ${key}' '${staging}/pets' -H 'Content-Type: application/json' -d '{"name":"Rex","categoryId":1}'`,
    `  curl -H 'Authorization: Bearer ${key}' '${staging}/pets/1'`,
    '',
    '',
  )
  return lines.join('\n')
}
