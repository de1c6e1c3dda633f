// The rules for who imports whom, and for files, as plain functions over the sources' text.
import { dirname, join } from 'node:path/posix'

/** Path from the root of the repository, such as `server/main.ts`, to the file's text. */
export type Sources = ReadonlyMap<string, string>

/** Folders whose sources are held to the rules. */
export const ruledFolders = ['client', 'dashboard', 'lab', 'server']

/** One line for each breach, naming the file; empty when every rule holds. */
export function findBreaches(sources: Sources): string[] {
  const imports = new Map([...sources].map(([path, text]) => [path, importsOf(path, text)]))
  const files = [...sources.keys()].filter((path) => ruledFolders.includes(topFolder(path)))
  const server = files.filter((path) => path.startsWith('server/'))
  return [
    ...server.flatMap((path) => breachesOfLayers(path, imports)),
    ...server.flatMap((path) => breachesOfProtocols(path, imports)),
    ...breachesOfFolders(files, imports),
    ...breachesOfCircles(files, imports),
    ...files.flatMap((path) => breachesOfFiles(path, sources.get(path) ?? '')),
  ]
}

type Imports = ReadonlyMap<string, readonly string[]>

const rooms = ['store', 'publishing']
const databasePackages = ['pg', 'kysely', 'node:sqlite', 'better-sqlite3']
const maxSourceLines = 400
const maxTestLines = 500

const topFolder = (path: string) => path.split('/')[0] ?? ''
/** Unit tests, and what only they import. */
const isTest = (path: string) => /\.test\.tsx?$|-in-test\.ts$|\/test-[a-z-]+\.ts$/.test(path)

/** The folder of server/ that a path is in: `platform`, `store`, `main.ts` and so on. */
const placeOf = (path: string) => (path.startsWith('server/') ? (path.split('/')[1] ?? '') : '')

/** The layers of server/: platform below store and publishing, which are below main.ts and cli/. */
function breachesOfLayers(path: string, imports: Imports): string[] {
  const place = placeOf(path)
  const targets = imports.get(path) ?? []
  const breaches: string[] = []
  const wires = place === 'main.ts' || place === 'cli'
  for (const target of targets) {
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
  const places = new Set(targets.map(placeOf))
  if (!wires && !rooms.includes(place) && rooms.every((room) => places.has(room))) {
    breaches.push(`${path} imports both rooms: only main.ts and cli/ do`)
  }
  return breaches
}

/** `acme` and `dns` are protocol only: no database, not even by way of another file. */
function breachesOfProtocols(path: string, imports: Imports): string[] {
  if (!/^server\/publishing\/(acme|dns)\//.test(path) || isTest(path)) return []
  const cameFrom = new Map<string, string>([[path, '']])
  for (const file of cameFrom.keys()) {
    for (const target of imports.get(file) ?? []) {
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

/** No two folders import each other, however deep they lie; types count, tests do not. */
function breachesOfFolders(files: string[], imports: Imports): string[] {
  const firstImport = new Map<string, string>()
  for (const path of files.filter((file) => !isTest(file))) {
    for (const target of imports.get(path) ?? []) {
      const pair = `${dirname(path)} ${dirname(target)}`
      if (!imports.has(target) || dirname(path) === dirname(target) || firstImport.has(pair))
        continue
      firstImport.set(pair, `${path} imports ${target}`)
    }
  }
  return [...firstImport].flatMap(([pair, forth]) => {
    const [from = '', to = ''] = pair.split(' ')
    const back = firstImport.get(`${to} ${from}`)
    return back && from < to ? [`${forth}, and ${back}: folders import one way`] : []
  })
}

/** No file imports itself by way of others; types count. */
function breachesOfCircles(files: string[], imports: Imports): string[] {
  const breaches: string[] = []
  const finished = new Set<string>()
  const way: string[] = []
  const visit = (path: string): void => {
    const start = way.indexOf(path)
    if (start >= 0) {
      const circle = [...way.slice(start), path].join(' imports ')
      breaches.push(`${circle}: files import no circles`)
      return
    }
    if (finished.has(path)) return
    way.push(path)
    for (const target of imports.get(path) ?? []) if (imports.has(target)) visit(target)
    way.pop()
    finished.add(path)
  }
  for (const path of files) visit(path)
  return breaches
}

function breachesOfFiles(path: string, text: string): string[] {
  const breaches: string[] = []
  const name = path.split('/').at(-1) ?? ''
  if (/(^|[-.])(utils?|helpers?|commons?|managers?|services?)[-.]/.test(name)) {
    breaches.push(`${path}: a file is named for what it exports`)
  }
  const code = withoutComments(text)
  if (/\bexport\s+default\b|\bas\s+default\b/.test(code) && !path.endsWith('.config.ts')) {
    breaches.push(`${path}: no default exports`)
  }
  const lines = text.trimEnd().split('\n').length
  const maxLines = isTest(path) ? maxTestLines : maxSourceLines
  if (lines > maxLines && !(isTest(path) && /\blong:[ \t]*\S/.test(headerOf(text)))) {
    breaches.push(`${path}: ${lines} lines; at most ${maxLines}`)
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
