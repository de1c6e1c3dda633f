// The rules for who imports whom in server/, and for its files, as plain functions over their text.
import { dirname, join } from 'node:path/posix'

/** Path from the root of the repository, such as `server/main.ts`, to the file's text. */
export type Sources = ReadonlyMap<string, string>

/** One line for each breach, naming the file; empty when every rule holds. */
export function findBreaches(sources: Sources): string[] {
  return [...sources.keys()]
    .filter((path) => path.startsWith('server/'))
    .flatMap((path) => [
      ...breachesOfArrows(path, sources),
      ...breachesOfProtocols(path, sources),
      ...breachesOfFiles(path, sources.get(path) ?? ''),
    ])
}

const rooms = ['store', 'publishing']
const databasePackages = ['pg', 'kysely', 'node:sqlite', 'better-sqlite3']
const isTest = (path: string) => path.endsWith('.test.ts')

/** The folder of server/ that a path is in: `platform`, `store`, `main.ts` and so on. */
const placeOf = (path: string) => (path.startsWith('server/') ? (path.split('/')[1] ?? '') : '')

function breachesOfArrows(path: string, sources: Sources): string[] {
  const place = placeOf(path)
  const imports = importsOf(path, sources.get(path) ?? '')
  const breaches: string[] = []
  const wires = place === 'main.ts' || place === 'cli'
  for (const target of imports) {
    const targetPlace = placeOf(target)
    if (place === 'platform' && rooms.includes(targetPlace)) {
      breaches.push(`${path} imports ${target}: platform imports no room`)
    }
    if (rooms.includes(place) && rooms.includes(targetPlace) && place !== targetPlace) {
      breaches.push(`${path} imports ${target}: the rooms do not import each other`)
    }
    // A unit test may build the whole program; the program's parts may not.
    if (!wires && !isTest(path) && (targetPlace === 'main.ts' || targetPlace === 'cli')) {
      breaches.push(`${path} imports ${target}: nothing imports what wires it`)
    }
    if (!isTest(path) && /^(lab|bench|test)\//.test(target)) {
      breaches.push(`${path} imports ${target}: the program does not import its surroundings`)
    }
  }
  const places = new Set(imports.map(placeOf))
  if (!wires && !rooms.includes(place) && rooms.every((room) => places.has(room))) {
    breaches.push(`${path} imports both rooms: only main.ts and cli/ do`)
  }
  return breaches
}

/** `acme` and `dns` are protocol only: no database, not even by way of another file. */
function breachesOfProtocols(path: string, sources: Sources): string[] {
  if (!/^server\/publishing\/(acme|dns)\//.test(path) || isTest(path)) return []
  const cameFrom = new Map<string, string>([[path, '']])
  for (const file of cameFrom.keys()) {
    for (const target of importsOf(file, sources.get(file) ?? '')) {
      if (!cameFrom.has(target)) cameFrom.set(target, file)
      if (!isDatabase(target)) continue
      const way = [target]
      for (let step = file; step !== ''; step = cameFrom.get(step) ?? '') way.unshift(step)
      return [`${way.join(' imports ')}: a protocol knows no database`]
    }
  }
  return []
}

function isDatabase(target: string): boolean {
  if (target.startsWith('server/platform/database')) return true
  return databasePackages.some((name) => target === name || target.startsWith(`${name}/`))
}

function breachesOfFiles(path: string, text: string): string[] {
  const breaches: string[] = []
  const name = path.split('/').at(-1) ?? ''
  if (/(^|[-.])(utils?|helpers?|commons?|managers?|services?)[-.]/.test(name)) {
    breaches.push(`${path}: a file is named for what it exports`)
  }
  const code = withoutComments(text)
  if (/\bexport\s+default\b|\bas\s+default\b/.test(code)) {
    breaches.push(`${path}: no default exports`)
  }
  const lines = text.trimEnd().split('\n').length
  if (lines > 500 && !/\blong:[ \t]*\S/.test(headerOf(text))) {
    breaches.push(`${path}: ${lines} lines; split it, or say why in its header: "long: reason"`)
  }
  return breaches
}

/** The comment that a file opens with. */
function headerOf(text: string): string {
  return /^(#!.*\n)?((\s*\/\/.*\n)|(\s*\/\*[\s\S]*?\*\/))*/.exec(text)?.[0] ?? ''
}

/** What a file imports, types too: paths from the root of the repository, or names of packages. */
export function importsOf(path: string, text: string): string[] {
  const code = withoutComments(text)
  const statements = [
    /(?:^|[;}\n])\s*(?:import|export)\b[^'"`;=(]*?\bfrom\s*['"]([^'"]+)['"]/g,
    /(?:^|[;}\n])\s*import\s*['"]([^'"]+)['"]/g,
    /\bimport\s*\(\s*['"`]([^'"`]+)['"`]/g,
  ]
  const targets = statements.flatMap((pattern) =>
    [...code.matchAll(pattern)].map(([, target = '']) => target),
  )
  return targets.map((target) =>
    target.startsWith('.') ? join(dirname(path), target.replace(/\?.*/, '')) : target,
  )
}

/** Strings stay as they are, so that a `//` in an address is no comment. */
function withoutComments(text: string): string {
  const pattern =
    /('(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`)|\/\/.*|\/\*[\s\S]*?\*\//g
  return text.replace(pattern, (_, string: string | undefined) => string ?? ' ')
}
