// What the tests need of the machine beside the packages of npm. test/run installs it where it can and names the rest in
// TEST_MISSING: test/skipping-runner.ts skips the tests that need it, and test/closing-line.ts says how many.
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdtempDisposableSync, readFileSync } from 'node:fs'
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
}

const realServers = /^test\/(domains\/real-doctor|lab\/unbound)/

const proxies = 'test/proxies/documented-proxy.ts'
const systemd = /^test\/operating\/systemd-unit/
const python = /archives-of-programs.*Python|private-files|request-samples|docs.*request samples/
const curl = /request-samples|docs.*request samples|deploy-tokens|readme.*tour|zero-downtime/
const pdnsBackend = '/usr/lib/*/pdns/libgsqlite3backend.so'
const seccomp = '/usr/lib/python3/dist-packages/seccomp*.so'
const swift = '/usr/lib/python3/dist-packages/swift/__init__.py'
const chromium = '/usr/bin/{chromium-headless-shell,chromium}'

/** Only tests of the long tier need these. */
const forLong: readonly Need[] = [
  { name: 'knot', there: '/usr/sbin/knotd', tests: realServers },
  { name: 'nsd', there: '/usr/sbin/nsd', tests: realServers },
  { name: 'pdns-server', there: '/usr/sbin/pdns_server', tests: realServers },
  { name: 'pdns-backend-sqlite3', there: pdnsBackend, tests: realServers },
  { name: 'unbound', there: '/usr/sbin/unbound', tests: realServers },
  { name: 'nginx-light', there: '/usr/sbin/nginx', tests: proxies },
  { name: 'caddy', there: '/usr/bin/caddy', tests: proxies },
  { name: 'haproxy', there: '/usr/sbin/haproxy', tests: proxies },
  { name: 'testssl.sh', there: '/usr/bin/testssl', tests: /^test\/edge\/testssl/ },
  { name: 'python3-swift', there: swift, tests: 'test/object-storage/swift.ts' },
]

export const needs: readonly Need[] = [
  { name: 'postgresql', there: '/usr/lib/postgresql/*/bin/initdb', tests: /postgres/i },
  { name: 'pgbouncer', there: '/usr/sbin/pgbouncer', tests: /PgBouncer/ },
  { name: 'chromium-headless-shell', there: chromium, tests: 'test/browser/chromium.ts' },
  { name: 'zip', there: '/usr/bin/zip', tests: /archives-of-programs.*\bzip\b/ },
  { name: 'python3', there: '/usr/bin/python3', tests: python },
  { name: 'openssl', there: '/usr/bin/openssl', tests: 'test/edge/certificates.ts' },
  { name: 'curl', there: '/usr/bin/curl', tests: curl },
  { name: 'bsdutils', there: '/usr/bin/script', tests: /on a terminal/ },
  { name: 'bind9-dnsutils', there: '/usr/bin/dig', tests: 'test/lab/dig.ts' },
  ...forLong,
  { name: 'systemd', there: '/usr/bin/systemd-analyze', tests: systemd },
  { name: 'python3-seccomp', there: seccomp, tests: systemd },
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
  using folder = mkdtempDisposableSync(join(tmpdir(), 'mount-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder.path], {
      stdio: 'ignore',
    })
    execFileSync('umount', ['--lazy', folder.path])
    return true
  } catch {
    return false
  }
}

// `packages` prints the Debian packages that are missing; without a word, everything is named, separated by commas.
if (import.meta.main) {
  const missing = needs.filter((need) => (isLong || !forLong.includes(need)) && !isThere(need))
  const packages = missing.filter(({ isRight }) => !isRight)
  const names = (list: readonly Need[]) => list.map(({ name }) => name)
  console.log(process.argv[2] === 'packages' ? names(packages).join(' ') : names(missing).join(','))
}
