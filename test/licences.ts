// npm run licences: every package that the program runs with, and its licence, from package-lock.json.
// `-- --dev` adds the packages that only its development needs.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

interface LockedPackage {
  version: string
  license?: string
  dev?: boolean
}

export interface LicensedPackage {
  name: string
  version: string
  /** An SPDX expression; empty if the package declares none. */
  licence: string
}

/** Sorted by name; each version of a package once. */
export function listLicences(lockFile: string, withDev: boolean): LicensedPackage[] {
  const { packages } = JSON.parse(readFileSync(lockFile, 'utf8'))
  const found = new Map<string, LicensedPackage>()
  for (const [path, locked] of Object.entries<LockedPackage>(packages)) {
    if (path === '' || (!withDev && locked.dev)) continue
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
    const { license = '', version } = locked
    found.set(`${name}@${version}`, { name, version, licence: license })
  }
  return [...found.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry)
}

if (import.meta.main) {
  const lockFile = join(import.meta.dirname, '../package-lock.json')
  for (const { licence, name, version } of listLicences(lockFile, process.argv.includes('--dev'))) {
    console.log(`${name} ${version}\t${licence || 'none declared'}`)
  }
}
