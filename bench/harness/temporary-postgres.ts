// A PostgreSQL cluster in a temporary folder, with fsync on. If this process runs as root, the server runs as
// the user postgres, because PostgreSQL refuses to run as root.

import { execFileSync } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { pinToCores } from './cores.ts'
import { findFreePort } from './http-client.ts'
import { type RunningProcess, splitCommand, startProcess } from './processes.ts'

export interface TemporaryPostgres {
  /** A connection string without a database name. */
  url: string
  version: string
  /** The parent of all other PostgreSQL processes. */
  pid: number
  /** The path of a program of the same installation, such as psql. */
  programPath(name: string): string
  /** An empty database or a copy of `template`, to which no client may be connected. Returns its URL. */
  createDatabase(name: string, template?: string): string
  stop(): Promise<void>
}

export async function startTemporaryPostgres(
  folder: string,
  cores: string | undefined,
): Promise<TemporaryPostgres> {
  const programs = findPrograms()
  const data = join(folder, 'cluster')
  mkdirSync(data, { mode: 0o700 })
  const asRoot = process.getuid?.() === 0
  if (asRoot) {
    const idOf = (flag: string) => Number(runCommand(['id', flag, 'postgres']))
    chownSync(data, idOf('-u'), idOf('-g'))
  }
  const asOwner = asRoot ? ['runuser', '-u', 'postgres', '--'] : []
  const initdb = [`${programs}/initdb`, '-D', data, '-A', 'trust', '-U', 'postgres', '-E', 'UTF8']
  runCommand([...asOwner, ...initdb, '--no-locale'])

  const port = await findFreePort()
  const settings = [
    'listen_addresses=127.0.0.1',
    `port=${port}`,
    `unix_socket_directories=${data}`,
    'fsync=on',
    'synchronous_commit=on',
    'full_page_writes=on',
    'shared_buffers=256MB',
    'max_wal_size=4GB',
  ].flatMap((setting) => ['-c', setting])
  const started = startProcess({
    command: [...asOwner, ...pinToCores(cores, [`${programs}/postgres`, '-D', data, ...settings])],
    logFile: join(folder, 'postgres.log'),
    cwd: '/',
  })
  const url = `postgres://postgres@127.0.0.1:${port}`
  await waitUntilReady(`${programs}/pg_isready`, port, started)
  return {
    url,
    version: runCommand([`${programs}/postgres`, '--version']),
    pid: started.pid,
    programPath: (name) => join(programs, name),
    createDatabase(name, template = 'template1') {
      const address = ['-h', '127.0.0.1', '-p', `${port}`, '-U', 'postgres']
      runCommand([`${programs}/createdb`, ...address, '-T', template, name])
      return `${url}/${name}`
    },
    // runuser forwards SIGTERM, which starts a smart shutdown: it waits until all clients have disconnected.
    stop: () => started.stop('SIGTERM'),
  }
}

async function waitUntilReady(program: string, port: number, started: RunningProcess) {
  for (let attempt = 0; attempt < 100; attempt++) {
    if (started.exitStatus() !== undefined) break
    try {
      runCommand([program, '-q', '-h', '127.0.0.1', '-p', String(port)])
      return
    } catch {
      await delay(100)
    }
  }
  await started.stop()
  throw new Error('PostgreSQL did not start')
}

/** Debian installs the server programs outside PATH, in a folder per version; the newest is used. */
function findPrograms(): string {
  const root = '/usr/lib/postgresql'
  const versions = existsSync(root)
    ? readdirSync(root).toSorted((a, b) => Number(b) - Number(a))
    : []
  const found = versions.map((version) => join(root, version, 'bin')).find(hasInitdb)
  if (found) return found
  const inPath = (process.env.PATH ?? '').split(':').find(hasInitdb)
  if (!inPath) throw new Error('PostgreSQL is not installed: no initdb found')
  return inPath
}

function hasInitdb(folder: string): boolean {
  return existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres'))
}

function runCommand(command: string[]): string {
  return execFileSync(...splitCommand(command), {
    encoding: 'utf8',
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim()
}
