// What the tests need of the machine beside the packages of npm. test/run installs it where it can and names the rest in
// TEST_MISSING: test/skipping-runner.ts skips the tests that need it, and test/closing-line.ts says how many.
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findPebble } from '../lab/certificate-authority/pebble.ts'
import { importsOf } from './arrows.ts'
import { isLong } from './cases.ts'

export interface Need {
  /** Debian's name of the package, or a right. */
  name: string
  /** A pattern of files of the package, or whether the machine gives the right. */
  there: string | (() => boolean)
  /** The tests that need it: a pattern of `path/of/file.test.ts > describe > test`, or a module that their files import. */
  tests: RegExp | string
  /** No package gives it. */
  isRight?: true
  /** Only tests of the long tier need it. */
  isForLong?: true
}

const realServers = /^test\/(domains\/real-doctor|lab\/unbound)/

export const needs: readonly Need[] = [
  { name: 'postgresql', there: '/usr/lib/postgresql/*/bin/initdb', tests: /postgres/i },
  { name: 'pgbouncer', there: '/usr/sbin/pgbouncer', tests: /PgBouncer/ },
  {
    name: 'chromium-headless-shell',
    there: '/usr/bin/{chromium-headless-shell,chromium}',
    tests: 'test/browser/chromium.ts',
  },
  { name: 'zip', there: '/usr/bin/zip', tests: /archives-of-programs.*\bzip\b/ },
  {
    name: 'python3',
    there: '/usr/bin/python3',
    tests: /archives-of-programs.*Python|private-files|request-samples|docs.*request samples/,
  },
  { name: 'openssl', there: '/usr/bin/openssl', tests: 'test/edge/certificates.ts' },
  {
    name: 'curl',
    there: '/usr/bin/curl',
    tests: /request-samples|docs.*request samples|deploy-tokens|readme.*tour|zero-downtime/,
  },
  { name: 'bsdutils', there: '/usr/bin/script', tests: /on a terminal/ },
  { name: 'bind9-dnsutils', there: '/usr/bin/dig', tests: 'test/lab/dig.ts' },
  { name: 'knot', there: '/usr/sbin/knotd', tests: realServers, isForLong: true },
  { name: 'nsd', there: '/usr/sbin/nsd', tests: realServers, isForLong: true },
  { name: 'pdns-server', there: '/usr/sbin/pdns_server', tests: realServers, isForLong: true },
  {
    name: 'pdns-backend-sqlite3',
    there: '/usr/lib/*/pdns/libgsqlite3backend.so',
    tests: realServers,
    isForLong: true,
  },
  { name: 'unbound', there: '/usr/sbin/unbound', tests: realServers, isForLong: true },
  {
    name: 'nginx-light',
    there: '/usr/sbin/nginx',
    tests: 'test/proxies/documented-proxy.ts',
    isForLong: true,
  },
  {
    name: 'caddy',
    there: '/usr/bin/caddy',
    tests: 'test/proxies/documented-proxy.ts',
    isForLong: true,
  },
  {
    name: 'haproxy',
    there: '/usr/sbin/haproxy',
    tests: 'test/proxies/documented-proxy.ts',
    isForLong: true,
  },
  { name: 'testssl.sh', there: '/usr/bin/testssl', tests: /^test\/edge\/testssl/, isForLong: true },
  { name: 'systemd', there: '/usr/bin/systemd-analyze', tests: /^test\/operating\/systemd-unit/ },
  {
    name: 'python3-seccomp',
    there: '/usr/lib/python3/dist-packages/seccomp*.so',
    tests: /^test\/operating\/systemd-unit/,
  },
  {
    name: 'python3-swift',
    there: '/usr/lib/python3/dist-packages/swift/__init__.py',
    tests: 'test/object-storage/swift.ts',
    isForLong: true,
  },
  { name: 'pebble', there: hasPebble, tests: /^test\/acme\/|Pebble/ },
  { name: 'promtool', there: hasPromtool, tests: /promtool/ },
  { name: 'npm 10 or newer', there: hasNpmWithBill, tests: /npm run sbom/, isRight: true },
  { name: 'root', there: isRoot, tests: realServers, isRight: true },
  { name: 'the right to mount', there: canMount, tests: /full[- ]disk/, isRight: true },
]

const root = join(import.meta.dirname, '..')

/** The first thing that a test needs and the machine lacks. `missing` are names. */
export function missingFor(
  file: string,
  name: string,
  missing: ReadonlySet<string>,
): string | undefined {
  const needed = ({ tests }: Need) =>
    typeof tests === 'string' ? isImportedBy(tests, file) : tests.test(`${file} > ${name}`)
  return needs.find((need) => missing.has(need.name) && needed(need))?.name
}

const imports = new Map<string, readonly string[]>()

/** Whether a test file imports a module of test/, directly or by others of test/. Both are relative to the root. */
function isImportedBy(module: string, file: string): boolean {
  const seen = new Set([file])
  for (const path of seen) for (const target of importsIn(path)) seen.add(target)
  return seen.has(module)
}

function importsIn(path: string): readonly string[] {
  const full = join(root, path)
  if (!/^test\/|\.test\.ts$/.test(path) || !existsSync(full)) return []
  const found = imports.get(path) ?? importsOf(path, readFileSync(full, 'utf8'))
  imports.set(path, found)
  return found
}

function isThere({ there }: Need): boolean {
  return typeof there === 'string' ? globSync(there).length > 0 : there()
}

function isRoot(): boolean {
  return process.getuid?.() === 0
}

function hasPebble(): boolean {
  return findPebble(process.env) !== undefined
}

function hasPromtool(): boolean {
  const folders = process.env.PATH?.split(':') ?? []
  const paths = folders.map((folder) => join(folder, 'promtool'))
  return [join(root, '.cache/promtool/usr/bin/promtool'), ...paths].some((path) => existsSync(path))
}

/** The npm of Debian 12 and 13 is 9. */
function hasNpmWithBill(): boolean {
  return Number.parseInt(execFileSync('npm', ['--version'], { encoding: 'utf8' }), 10) >= 10
}

function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'mount-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder], { stdio: 'ignore' })
    execFileSync('umount', ['--lazy', folder])
    return true
  } catch {
    return false
  } finally {
    rmSync(folder, { recursive: true })
  }
}

// `packages` prints the Debian packages that are missing; without a word, everything is named, separated by commas.
if (import.meta.main) {
  const missing = needs.filter((need) => (isLong || !need.isForLong) && !isThere(need))
  const packages = missing.filter(({ isRight }) => !isRight)
  const names = (list: readonly Need[]) => list.map(({ name }) => name)
  console.log(process.argv[2] === 'packages' ? names(packages).join(' ') : names(missing).join(','))
}
