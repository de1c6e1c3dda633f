// A temporary PostgreSQL from Debian's binaries.
// Invariant: no server and no folder remains after the process that started it, however that process ends.
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { chown, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { createGuardedFolder } from './guarded-folder.ts'
import { freePort } from './lab/free-addresses.ts'
import { childrenOf, isAlive, signal } from './process-tree.ts'

/**
 * A running cluster. `stop` is final: an immediate shutdown, after which the folder is deleted. `kill` is a crash:
 * SIGKILL to the server and all backends; the data is kept, and `start` recovers it on the same port. `pause` stops the
 * server and all backends (SIGSTOP) until `resume`, `kill` or `stop`. Each function resolves when it is done.
 */
export interface Postgres {
  /** The URL of the empty database `postgres` on 127.0.0.1, as the superuser. */
  readonly url: string
  readonly port: number
  readonly dataDirectory: string
  stop(): Promise<void>
  kill(): Promise<void>
  start(): Promise<void>
  pause(): Promise<void>
  resume(): Promise<void>
}

/**
 * Creates and starts a cluster, or a hot standby of another one; one that is not `durable` must not be killed. `parent`:
 * the folder of its own one. Throws an Error with the server's log if it does not start.
 */
export async function startPostgres({
  durable = true,
  parent,
  settings = {},
  standbyOf,
}: {
  durable?: boolean
  parent?: string
  settings?: Record<string, string>
  standbyOf?: Postgres
} = {}): Promise<Postgres> {
  const binaries = findBinaries()
  const user = findUser()
  const guarded = await createGuardedFolder('animal-store-postgres-', parent)
  const { path: folder } = guarded
  const dataDirectory = join(folder, 'data')
  let server: ChildProcess | undefined

  async function stop(): Promise<void> {
    await kill('SIGQUIT')
    await guarded.remove()
  }

  async function kill(name: NodeJS.Signals): Promise<void> {
    const ended = server
    server = undefined
    if (ended?.pid === undefined) return
    const backends = childrenOf(ended.pid)
    const exited = hasExited(ended) ? undefined : once(ended, 'exit')
    for (const pid of [ended.pid, ...backends]) signal(pid, name)
    // A stopped process handles SIGQUIT only after SIGCONT.
    for (const pid of [ended.pid, ...backends]) signal(pid, 'SIGCONT')
    await exited
    // The next start fails while a backend still uses the shared memory.
    while (backends.some(isAlive)) {
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }

  try {
    if (user) await chown(folder, user.uid, user.gid)
    const password = standbyOf ? new URL(standbyOf.url).password : randomBytes(16).toString('hex')
    await writeFile(join(folder, 'password'), password, { mode: 0o644 })
    const copied = ['--write-recovery-conf', '--checkpoint=fast', '--no-sync']
    if (standbyOf)
      await run(
        join(binaries, 'pg_basebackup'),
        [...copied, `--dbname=${standbyOf.url}`, `--pgdata=${dataDirectory}`],
        { ...user, cwd: folder },
      )
    else
      await run(
        join(binaries, 'initdb'),
        ['--username=postgres', '--auth=scram-sha-256', `--pwfile=${join(folder, 'password')}`]
          .concat(['--encoding=UTF8', '--no-locale', '--no-sync'])
          .concat([`--pgdata=${dataDirectory}`]),
        { ...user, cwd: folder },
      )
    const port = await freePort()
    const start = async () => {
      if (server && !hasExited(server)) throw new Error('this PostgreSQL is running already')
      const commits = durable ? 'on' : 'off'
      server = await startServer(join(binaries, 'postgres'), folder, user, {
        listen_addresses: '127.0.0.1',
        port,
        unix_socket_directories: folder,
        max_connections: 200,
        shared_buffers: '32MB',
        fsync: commits,
        synchronous_commit: commits,
        full_page_writes: commits,
        ...settings,
      })
    }
    await start()
    return {
      url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
      port,
      dataDirectory,
      stop,
      start,
      kill: () => kill('SIGKILL'),
      async pause() {
        if (server?.pid === undefined) throw new Error('this PostgreSQL is not running')
        signal(server.pid, 'SIGSTOP') // first, so that no new backend starts
        for (const pid of childrenOf(server.pid)) signal(pid, 'SIGSTOP')
      },
      async resume() {
        if (server?.pid === undefined) throw new Error('this PostgreSQL is not running')
        for (const pid of [...childrenOf(server.pid), server.pid]) signal(pid, 'SIGCONT')
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}

export type User = { uid: number; gid: number } | undefined

export function findBinaries(): string {
  const versions = existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql') : []
  const highest = versions
    .filter((version) => existsSync(`/usr/lib/postgresql/${version}/bin/initdb`))
    .sort((a, b) => Number(b) - Number(a))[0]
  if (!highest) throw new Error('PostgreSQL is not installed: apt-get install postgresql')
  return `/usr/lib/postgresql/${highest}/bin`
}

/** PostgreSQL refuses to run as root, so root runs it as the user `postgres` of the package. */
export function findUser(): User {
  if (process.getuid?.() !== 0) return undefined
  const id = (option: string) =>
    Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

async function run(command: string, args: string[], options: object): Promise<void> {
  await promisify(execFile)(command, args, options)
}

/** Resolves when the server accepts connections, after any crash recovery. */
async function startServer(
  command: string,
  folder: string,
  user: User,
  settings: object,
): Promise<ChildProcess> {
  const child = spawn(
    command,
    ['-D', join(folder, 'data')].concat(
      Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ),
    { ...user, cwd: folder, detached: true, stdio: ['ignore', 'ignore', 'pipe'] },
  )
  if (!child.stderr) throw new Error('no standard error')
  const log: string[] = []
  const lines = createInterface({ input: child.stderr })
  await new Promise<void>((resolve, reject) => {
    lines.on('line', (line) => {
      if (/database system is ready to accept (read-only )?connections/.test(line)) resolve()
      if (log.length < 100) log.push(line)
    })
    child.once('error', reject)
    child.once('exit', (status) =>
      reject(new Error(`postgres ended with status ${status}:\n${log.join('\n')}`)),
    )
  })
  return child
}

function hasExited(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}
