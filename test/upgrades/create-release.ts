// Creates the data of a release, which upgrades.test.ts migrates from then on, and packs its program, beside which no later
// version migrates there. Run it once, on the commit of the release, with the pinned Node:
// `node test/upgrades/create-release.ts`. Needs a built program, sqlite3 and pg_dump.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { startPostgres } from '../postgres.ts'
import { peopleAt } from '../publishing/publishing-in-test.ts'
import { type ServedProcess, serveProcess } from '../served-process.ts'

const root = join(import.meta.dirname, '../..')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const folder = join(import.meta.dirname, version)
mkdirSync(folder, { recursive: true })

packProgram()
const postgres = await startPostgres({ durable: false })
try {
  for (const engine of ['sqlite', 'postgres'] as const) {
    const dataDir = mkdtempSync(join(tmpdir(), 'animal-store-release-'))
    const databaseUrl = engine === 'postgres' ? postgres.url : undefined
    const release = async () => {}
    const served = await serveProcess({ engine, dataDir, databaseUrl, release })
    const known = await fill(served)
    await served.end()
    const secretKey = readFileSync(join(dataDir, 'secret.key'), 'utf8')
    const file = join(folder, `${engine}.json`)
    writeFileSync(file, `${JSON.stringify({ ...known, secretKey }, undefined, 2)}\n`)
    for (const [name, sql] of engine === 'sqlite' ? dumpSqlite(dataDir) : [dumpPostgres()]) {
      writeFileSync(join(folder, `${name}.sql.gz`), gzipSync(sql, { level: 9 }))
    }
    rmSync(dataDir, { recursive: true })
  }
} finally {
  await postgres.stop()
}

/** As `npm start` builds it, but smaller. The folder is as deep as that of the build, whose paths it has. */
function packProgram(): void {
  const built = join(root, '.cache/packed')
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  const options = ['--minify', 'oxc', '--sourcemap', 'false', '--outDir', built, '--emptyOutDir']
  execFileSync(process.execPath, [vite, 'build', ...options], { cwd: root, stdio: 'inherit' })
  const archive = join(folder, 'program.tar.gz')
  execFileSync('tar', ['czf', archive, '--transform', 's/^packed/program/', 'packed'], {
    cwd: join(root, '.cache'),
  })
  rmSync(built, { recursive: true })
}

/** Adds some of everything through the APIs. Returns what has to be the same after the upgrade. */
async function fill({ ask, keys, port, setUpToken }: ServedProcess) {
  const key = keys.production ?? ''
  const store = async (path: string, body?: object, headers: Record<string, string> = {}) => {
    const { status, text } = await ask(path, { headers, ...(body && { body }) })
    if (status >= 300) throw new Error(`${path}: ${status} ${text}`)
    return text
  }
  const statuses = ['available', 'pending', 'sold']
  for (let i = 1; i <= 12; i++) {
    const body = { name: `Animal ${i} 🐾`, categoryId: i % 3, status: statuses[i % 3] }
    await store('/pets', body, { 'idempotency-key': `pet-${i}` })
  }
  const { operator, member } = await peopleAt(port, setUpToken)
  const owner = await member('paid')
  const token = await owner.token()
  await owner.create('guide', 'Guide')
  await owner.deployFolder('guide', {
    'index.html': '<!doctype html><title>Guide</title><p>Feed twice a day.</p>',
    'notes/a.txt': 'a'.repeat(3000),
  })
  const manage = async (path: string, body?: object) => {
    const { status, text } = await owner.ask(path, body && { body })
    if (status >= 300) throw new Error(`${path}: ${status} ${text}`)
    return text
  }
  await manage('/projects/guide/domains', { host: 'docs.example.com' })
  const { id, name, ownerId, slug } = JSON.parse(await manage('/projects/guide'))
  const domain = JSON.parse(await manage('/projects/guide/domains/docs.example.com'))
  return {
    key,
    token,
    operator: operator.account.email,
    owner: owner.account.email,
    lists: { '/pets?limit=100': await store('/pets?limit=100'), '/pets/7': await store('/pets/7') },
    project: { id, slug, name, ownerId },
    domain: {
      host: domain.host,
      addedAt: domain.addedAt,
      verification: domain.verification.value,
    },
  }
}

function dumpSqlite(dataDir: string): [string, string][] {
  const files = readdirSync(dataDir).filter((name) => name.endsWith('.db'))
  return files.map((name) => {
    const options = { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 } as const
    return [`sqlite-${name}`, execFileSync('sqlite3', [join(dataDir, name), '.dump'], options)]
  })
}

/** Without the commands of psql. */
function dumpPostgres(): [string, string] {
  const args = ['--inserts', '--no-owner', '--no-privileges', postgres.url]
  const dump = execFileSync('pg_dump', args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  return ['postgres', dump.replace(/^(?:\\.*|--(?: .*)?|)\n/gm, '')]
}
