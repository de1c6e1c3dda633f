// The licences of all packages, and the software bill of materials. Neither needs a network.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { listLicences } from './licences.ts'

const root = join(import.meta.dirname, '..')
const lockFile = join(root, 'package-lock.json')
const run = promisify(execFile)

/** Nobody answers there. */
const offline = { npm_config_offline: 'true', npm_config_registry: 'http://127.0.0.1:9/' }

async function npmRun(...words: string[]): Promise<string> {
  const PATH = `${process.execPath.replace(/\/node$/, '')}:${process.env.PATH}`
  const { stdout } = await run('npm', ['run', '--silent', ...words], {
    cwd: root,
    env: { ...process.env, ...offline, PATH },
    maxBuffer: 64 * 1024 ** 2,
  })
  return stdout
}

/** Permissive, or with conditions for changed files of the package alone (MPL-2.0, OFL-1.1 of fonts). */
const accepted = [
  ...['MIT', 'MIT-0', 'ISC', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', 'PSF-2.0'],
  ...['MPL-2.0', 'OFL-1.1', 'MIT OR Apache-2.0', '(MIT OR Apache-2.0)', '(MIT OR CC0-1.0)'],
]

test('every package has a licence that is compatible with Apache-2.0', () => {
  const all = listLicences(lockFile, true)
  expect(all.length).toBeGreaterThan(100)
  expect(all.filter(({ licence }) => !accepted.includes(licence))).toEqual([])
})

test('npm run licences lists the packages of the program, with --dev all', async () => {
  const lines = (await npmRun('licences')).trim().split('\n')
  expect(lines).toEqual(
    listLicences(lockFile, false).map(
      ({ licence, name, version }) => `${name} ${version}\t${licence}`,
    ),
  )
  expect(lines).toContainEqual(expect.stringMatching(/^kysely [\d.]+\tMIT$/))
  expect(lines.some((line) => line.startsWith('vitest '))).toBe(false)
  const withDev = await npmRun('licences', '--', '--dev')
  expect(withDev).toMatch(/^vitest [\d.]+\tMIT$/m)
})

test('npm run sbom lists every package with its hash, and marks those of the development', async () => {
  const { bomFormat, components, metadata } = JSON.parse(await npmRun('sbom'))
  expect(bomFormat).toBe('CycloneDX')
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  expect(metadata.component.version).toBe(version)
  interface Component {
    'bom-ref': string
    hashes?: { alg: string }[]
    properties: { name: string }[]
  }
  const listed = new Map(
    (components as Component[]).map((each) => [each['bom-ref'].split('|').pop() ?? '', each]),
  )
  const idsOf = (withDev: boolean): string[] =>
    listLicences(lockFile, withDev).map(({ name, version }) => `${name}@${version}`)
  const missing = idsOf(true).filter((id) => listed.get(id)?.hashes?.[0]?.alg !== 'SHA-512')
  expect(missing).toEqual([])
  const isForDevelopment = (id: string): boolean | undefined =>
    listed.get(id)?.properties.some(({ name }) => name === 'cdx:npm:package:development')
  expect(idsOf(false).filter(isForDevelopment)).toEqual([])
  expect(idsOf(true).filter(isForDevelopment).join()).toContain('vitest@')
})
