// The lab as a program: starts everything and the server, prints the next steps, and stops on a signal or when its
// parent process ends.
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Lab, startLab, visitorsRoot } from './lab.ts'
import { defaultNetwork, defaultPorts, type LabPorts, platformHost } from './network/topology.ts'
import { type ServerInLab, serveInLab } from './serve-in-lab.ts'

const usage =
  'lab [--network 127.0.53] [--dns-port N] [--http-port N] [--https-port N] [--registrar-port N]'

const portNames = Object.keys(defaultPorts) as (keyof LabPorts)[]
/** `browser-proxy-port` */
const optionOf = (name: string): string =>
  `${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}-port`
const portOptions = Object.fromEntries(
  portNames.map((name) => [
    optionOf(name),
    { type: 'string' as const, default: String(defaultPorts[name]) },
  ]),
)

process.exitCode = await main()
// This channel would keep the process alive.
if (process.connected) process.disconnect?.()

async function main(): Promise<number> {
  const options = readOptions()
  if (typeof options === 'string') return fail(options, 2)
  const stopped = untilStopped()
  let server: ServerInLab | undefined
  const lab = await startLab({ ...options, env: process.env }).catch(describe)
  if (typeof lab === 'string') return fail(lab, 1)
  try {
    if (options.hasServer) server = await serveInLab(options.program, lab, process.env)
    const { registrarUrl, browserProxyUrl, topology } = lab
    const facts = { registrarUrl, browserProxyUrl, topology, dashboardUrl: server?.dashboardUrl }
    process.stdout.write(
      options.isJson ? `${JSON.stringify(facts)}\n` : formatNextSteps(lab, server),
    )
    const end = await Promise.race([stopped, ...(server ? [server.ended] : [])])
    return end === 'stopped' ? 0 : fail('the server has stopped', 1)
  } catch (error) {
    return fail(describe(error), 1)
  } finally {
    await server?.stop()
    await lab.stop()
  }
}

/** The options, or what is wrong with them. */
function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        ...portOptions,
        network: { type: 'string', default: defaultNetwork },
        'no-server': { type: 'boolean', default: false },
        program: { type: 'string', default: join(import.meta.dirname, '../server/cli/main.ts') },
        json: { type: 'boolean', default: false },
      },
    })
    if (!/^127(\.(\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])){2}$/.test(values.network))
      return '--network must be the start of a loopback address, such as 127.0.53'
    const ports = { ...defaultPorts }
    for (const name of portNames) {
      const port = Number((values as Record<string, unknown>)[optionOf(name)])
      if (!Number.isInteger(port) || port < 0 || port > 65_535)
        return 'a port must be a number from 0 to 65535'
      ports[name] = port
    }
    const { json, network, program } = values
    return { network, ports, hasServer: !values['no-server'], isJson: json, program }
  } catch (error) {
    return `${(error as Error).message.split('. ')[0]} (${usage})`
  }
}

/** Resolves on a signal, or when the parent process ends. */
function untilStopped(): Promise<'stopped'> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
      process.on(signal, () => resolve('stopped'))
    process.on('disconnect', () => resolve('stopped'))
  })
}

function describe(error: unknown): string {
  const { address, code, message, port } = error as NodeJS.ErrnoException & {
    address?: string
    port?: number
  }
  const place = address ? `${address}${port ? `:${port}` : ''}` : 'an address'
  if (code === 'EADDRINUSE')
    return `${place} is in use: stop what runs there, or choose other ports`
  if (code === 'EADDRNOTAVAIL')
    return `${place} is not an address of this machine. On macOS, run "sudo ifconfig lo0 alias ${address}" for each address`
  if (code === 'EACCES')
    return `${place} needs permissions that this user does not have: choose ports from 1024`
  return message || String(error)
}

function fail(message: string, status: number): number {
  process.stderr.write(`animal-store lab: ${message}\n`)
  return status
}

/** `server` is undefined when the lab runs without one. */
function formatNextSteps(lab: Lab, server: ServerInLab | undefined): string {
  const { authority, topology, registrarUrl, browserProxyUrl } = lab
  const { dns } = topology.ports
  const dig = (words: string): string => `  dig @${topology.resolver} -p ${dns} ${words}`
  const secure = authority
    ? `  curl -x ${browserProxyUrl} --cacert ${join(lab.folder, visitorsRoot)} https://docs.mossy.example/\n`
    : ''
  const steps = [
    `Buy a domain at Hollow Oak Domains, such as mossy.example:\n\n  ${registrarUrl}`,
    ...(server
      ? [
          server.setUpLink
            ? `Create the first account, a project, and a token under Account:\n\n  ${server.setUpLink}`
            : `Open the dashboard:\n\n  ${server.dashboardUrl}`,
          `Deploy a folder, and add a host of the domain to the project:\n\n  export ANIMAL_STORE_URL=${server.dashboardUrl} ANIMAL_STORE_TOKEN=TOKEN\n  animal-store deploy FOLDER --project handbook\n  animal-store domains add docs.mossy.example --project handbook`,
        ]
      : []),
    `Point the host to ${platformHost}: add a CNAME record in the registrar, or apply a scenario:\n\n  curl -X PUT ${registrarUrl}/api/domains/mossy.example/scenario -H 'Content-Type: application/json' -d '{"scenario":"right","name":"docs"}'`,
    ...(server
      ? [
          'Verify the domain and wait for its certificate:\n\n  animal-store domains verify docs.mossy.example --project handbook --wait',
        ]
      : []),
    `Query the public resolver and a single name server:\n\n${dig('docs.mossy.example')}\n  dig @${topology.providerServers.burrow[0]} -p ${dns} docs.mossy.example`,
    `Open sites by their host names, with curl or a separate browser profile:\n\n  curl -x ${browserProxyUrl} http://docs.mossy.example/\n${secure}  chromium --user-data-dir="$(mktemp -d)" --proxy-server=${browserProxyUrl}`,
    'Try what can go wrong: delays, faults, wildcards, CAA, DNSSEC and more are in the registrar.',
  ]
  const ca = authority
    ? `${authority.title} issues certificates: ${authority.directoryUrl}\nRoot to trust: ${join(lab.folder, visitorsRoot)}`
    : 'No certificate authority is running.'
  return [
    '',
    'The lab is running. Nothing leaves this machine.',
    ca,
    '',
    ...steps.map((step, i) => `${i + 1}. ${step}\n`),
    'Press Ctrl-C to stop. Nothing is left behind.',
    '',
    '',
  ].join('\n')
}
