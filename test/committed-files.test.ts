// Committed files name no package registry and no mirror, so that every machine can use its own. Documents name files
// that exist.
import { execFileSync } from 'node:child_process'
import { existsSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const repository = join(import.meta.dirname, '..')

/** Committed and new files; in a copy without git, all files that are not ignored. */
function listFiles(): string[] {
  if (existsSync(join(repository, '.git'))) {
    const options = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
    const output = execFileSync('git', options, { cwd: repository, encoding: 'utf8' })
    return output.split('\0').filter((path) => path && existsSync(join(repository, path)))
  }
  const walk = (folder: string): string[] =>
    readdirSync(join(repository, folder), { withFileTypes: true }).flatMap((entry) => {
      if (['node_modules', 'data', '.cache'].includes(entry.name)) return []
      const path = join(folder, entry.name)
      return entry.isDirectory() ? walk(path) : entry.isFile() ? [path] : []
    })
  return walk('')
}

/** In parts, so that the test does not find this file. */
const knownHosts = [
  ...['registry npmjs org', 'registry npmmirror com', 'registry yarnpkg com', 'npm pkg github com'],
  ...['deb debian org', 'ftp debian org', 'security debian org', 'snapshot debian org'],
  ...['archive ubuntu com', 'proxy golang org', 'files pythonhosted org', 'index crates io'],
].map((parts) => parts.replaceAll(' ', '.'))

/** The hosts that this machine installs packages from. */
function hostsOfThisMachine(): string[] {
  const sources = '/etc/apt/sources.list.d'
  const files = existsSync(sources) ? readdirSync(sources).map((name) => join(sources, name)) : []
  const texts = [...files, '/etc/apt/sources.list']
    .filter((path) => existsSync(path))
    .map((path) => readFileSync(path, 'utf8'))
  const settings = ['config', 'get', 'registry']
  texts.push(execFileSync('npm', settings, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }))
  return texts
    .flatMap((text) => [...text.matchAll(/https?:\/\/(?:[^/@\s]*@)?([^/:\s]+)/g)])
    .map(([, host = '']) => host)
    .filter((host) => host.includes('.') && !/^127\.|^\[|^0\./.test(host))
}

/** `path: host` for each file that names a host. */
function findHosts(files: string[], read: (path: string) => string, hosts: string[]): string[] {
  return files.flatMap((path) => {
    const text = read(path).toLowerCase()
    return hosts.filter((host) => text.includes(host)).map((host) => `${path}: ${host}`)
  })
}

test('no committed file names a registry', () => {
  const files = listFiles()
  expect(files).toContain('package.json')
  const hosts = [...new Set([...knownHosts, ...hostsOfThisMachine()])]
  const read = (path: string) => {
    const full = join(repository, path)
    return statSync(full).isFile() ? readFileSync(full, 'latin1') : ''
  }
  expect(findHosts(files, read, hosts)).toEqual([])
})

test('finds a file that names a registry', () => {
  const host = knownHosts[0] ?? ''
  const read = (path: string) => (path === 'a' ? `x https://${host.toUpperCase()}/y` : 'z')
  expect(findHosts(['a', 'b'], read, knownHosts)).toEqual([`a: ${host}`])
})

const lockFiles = listFiles().filter((path) => path.endsWith('package-lock.json'))

test.each(lockFiles)('%s has hashes and no URLs, and installs beside it run no scripts', (path) => {
  const lock = JSON.parse(readFileSync(join(repository, path), 'utf8'))
  const packages = Object.entries<{ resolved?: string; integrity?: string }>(lock.packages).filter(
    ([name]) => name,
  )
  expect(packages.length).toBeGreaterThan(1)
  const wrong = packages.filter(
    ([, { integrity = '', resolved = '' }]) =>
      !/^sha512-[\w+/]{86}==$/.test(integrity) || resolved.includes('://'),
  )
  expect(wrong.map(([name]) => name)).toEqual([])
  const settings = readFileSync(join(repository, path, '../.npmrc'), 'utf8').split('\n')
  expect(settings).toContain('ignore-scripts=true')
})

test('package-lock.json is complete for every platform, as npm ci requires', () => {
  const lock = JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8'))
  const entries = Object.entries<{ optionalDependencies?: Record<string, string> }>(lock.packages)
  const missing = entries.flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) =>
        !(`${path}/node_modules/${name}` in lock.packages) &&
        !(`node_modules/${name}` in lock.packages),
    ),
  )
  expect(missing).toEqual([])
})

test('no symbolic link is committed, because its target may be missing elsewhere', () => {
  const links = listFiles().filter((path) => lstatSync(join(repository, path)).isSymbolicLink())
  expect(links).toEqual([])
})

test('documents name tests that exist', () => {
  const documents = [
    ...['docs/security.md', 'docs/reliability.md', 'ARCHITECTURE.md'],
    ...['CONTRIBUTING.md', 'SECURITY.md'],
  ]
  const missing = documents.flatMap((document) => {
    const text = readFileSync(join(repository, document), 'utf8')
    const names = text.match(/\btest\/[\w./-]+\.ts\b/g) ?? []
    return names
      .filter((name) => !existsSync(join(repository, name)))
      .map((name) => `${document}: ${name}`)
  })
  expect(missing).toEqual([])
})
