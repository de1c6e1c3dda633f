// The rules for imports and files, as pure functions of the sources' text.
import { dirname, join } from 'node:path/posix'

/** Path from the root of the repository, such as `server/main.ts`, to the file's text. */
export type Sources = ReadonlyMap<string, string>

/** Folders whose sources are checked. */
export const ruledFolders = ['client', 'dashboard', 'lab', 'server']

/** One line for each violation, with the file; empty when every rule is followed. */
export function findViolations(sources: Sources): string[] {
  const imports = new Map([...sources].map(([path, text]) => [path, importsOf(path, text)]))
  const files = [...sources.keys()].filter((path) => ruledFolders.includes(topFolder(path)))
  const server = files.filter((path) => path.startsWith('server/'))
  return [
    ...server.flatMap((path) => violationsOfRooms(path, imports)),
    ...server.flatMap((path) => violationsOfProtocols(path, imports)),
    ...files.flatMap((path) => violationsOfEntries(path, imports)),
    ...violationsOfFolders(files, imports),
    ...violationsOfFloors(sources),
    ...violationsOfCycles(files, imports),
    ...files.flatMap((path) => violationsOfNames(path, sources.get(path) ?? '', sources)),
    ...files.flatMap((path) => violationsOfFiles(path, sources.get(path) ?? '')),
  ]
}

type Imports = ReadonlyMap<string, readonly string[]>

/** The program can do without each: none imports another one, and others import only its entries. */
export const optionalRooms = [
  'domain-connect',
  'domain-webhooks',
  'object-storage',
  'oidc',
  'visits',
  'webhooks',
] as const
const belowOptional = [
  ...['kit', 'accounts', 'dns', 'acme', 'doctor', 'renderer', 'store', 'publishing', 'domains'],
] as const
/** What it opens in a process, and its commands, which are declared without loading anything else. */
const entries = ['open.ts', 'commands.ts']

/** The rooms of server/, and those, or folders of them, that each may import. Files beside the rooms and cli/ may import all. */
const rooms: Record<string, readonly string[]> = {
  kit: [],
  dns: ['kit'],
  acme: ['kit', 'dns'],
  doctor: ['kit/network', 'dns'],
  renderer: ['kit'],
  accounts: ['kit'],
  store: ['kit', 'accounts'],
  publishing: ['kit', 'accounts', 'renderer'],
  domains: ['kit', 'accounts', 'dns', 'acme', 'doctor', 'renderer', 'publishing'],
  ...Object.fromEntries(
    optionalRooms.map((name) => [`optional/${name}`, [...belowOptional, 'cli/command-line']]),
  ),
  'cli/command-line': ['kit', 'store', 'publishing'],
  'system-checks': [...belowOptional, 'optional/domain-connect'],
}
const databasePackages = ['pg', 'kysely', 'node:sqlite', 'better-sqlite3']
/** A longer file begins with its reason. */
const maxLines = 600
const maxFloors = 5

const topFolder = (path: string) => path.split('/')[0] ?? ''
/** Unit tests, and what only they import. */
const isTest = (path: string) => /\.test\.tsx?$|-in-test\.ts$|\/test-[a-z-]+\.ts$/.test(path)

/** The folder or file of server/ that a path is in: `kit`, `optional/visits`, `main.ts` and so on. */
const roomOf = (path: string) =>
  /^server\/(optional\/[^/]+|cli\/command-line|[^/]+)/.exec(path)?.[1] ?? ''

/** A room imports only the rooms below it. A unit test may build the whole program; the program's parts may not. */
function violationsOfRooms(path: string, imports: Imports): string[] {
  const room = roomOf(path)
  const below = rooms[room]
  return (imports.get(path) ?? []).flatMap((target) => {
    if (isTest(path)) return []
    if (/^(lab|bench|test)\//.test(target)) {
      return `${path} imports ${target}: the program does not import lab, bench or test`
    }
    const other = roomOf(target)
    if (!below || other === '' || other === room) return []
    if (below.some((name) => target.startsWith(`server/${name}/`))) return []
    return `${path} imports ${target}: ${room} is not above ${other}`
  })
}

/** From outside, an optional room is imported by its entries. The lab plays a provider that has a room's templates. */
function violationsOfEntries(path: string, imports: Imports): string[] {
  if (isTest(path) || topFolder(path) === 'lab') return []
  return (imports.get(path) ?? []).flatMap((target) => {
    const room = roomOf(target)
    const isEntry = entries.some((entry) => target === `server/${room}/${entry}`)
    if (!room.startsWith('optional/') || room === roomOf(path) || isEntry) return []
    return `${path} imports ${target}: others import only the entries of ${room}`
  })
}

/** A name with # is a source of a room. */
function violationsOfNames(path: string, text: string, sources: Sources): string[] {
  return namesOf(text)
    .filter((name) => name.startsWith('#') && !sources.has(pathOf(path, name)))
    .map((name) => `${path} imports ${name}: there is no such source`)
}

/** `acme` and `dns` implement only protocols, `doctor` only rules: no database, not even through another file. */
function violationsOfProtocols(path: string, imports: Imports): string[] {
  if (!/^server\/(acme|dns|doctor)\//.test(path) || isTest(path)) return []
  const cameFrom = new Map<string, string>([[path, '']])
  for (const file of cameFrom.keys()) {
    for (const target of imports.get(file) ?? []) {
      if (!cameFrom.has(target)) cameFrom.set(target, file)
      if (!isDatabase(target)) continue
      const way = [target]
      for (let step = file; step !== ''; step = cameFrom.get(step) ?? '') way.unshift(step)
      return [`${way.join(' imports ')}: this room imports no database`]
    }
  }
  return []
}

function isDatabase(target: string): boolean {
  if (target.startsWith('server/kit/database')) return true
  return databasePackages.some((name) => target === name || target.startsWith(`${name}/`))
}

/** No two folders import each other, at any depth; type imports count, tests do not. */
function violationsOfFolders(files: string[], imports: Imports): string[] {
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

/** The longest way down through the folders of domains/ has at most five floors. Type imports do not count. */
function violationsOfFloors(sources: Sources): string[] {
  const below = new Map<string, Set<string>>()
  for (const [path, text] of sources) {
    const folder = dirname(path)
    if (!folder.startsWith('server/domains/') || isTest(path)) continue
    const values = text.replace(/^(import|export) type [^'"]*['"].*/gm, '')
    const folders = importsOf(path, values)
      .filter((target) => sources.has(target))
      .map(dirname)
    const others = folders.filter(
      (other) => other.startsWith('server/domains/') && other !== folder,
    )
    below.set(folder, new Set([...(below.get(folder) ?? []), ...others]))
  }
  const longestWay = (folder: string): string[] => {
    const ways = [...(below.get(folder) ?? [])].map(longestWay)
    return [folder, ...(ways.sort((a, b) => b.length - a.length)[0] ?? [])]
  }
  return [...below.keys()]
    .map(longestWay)
    .filter((way) => way.length > maxFloors)
    .map((way) => `${way.join(' imports ')}: at most ${maxFloors} floors`)
}

/** No file imports itself through others; type imports count. */
function violationsOfCycles(files: string[], imports: Imports): string[] {
  const violations: string[] = []
  const finished = new Set<string>()
  const way: string[] = []
  const visit = (path: string): void => {
    const start = way.indexOf(path)
    if (start >= 0) {
      const cycle = [...way.slice(start), path].join(' imports ')
      violations.push(`${cycle}: no import cycles`)
      return
    }
    if (finished.has(path)) return
    way.push(path)
    for (const target of imports.get(path) ?? []) if (imports.has(target)) visit(target)
    way.pop()
    finished.add(path)
  }
  for (const path of files) visit(path)
  return violations
}

function violationsOfFiles(path: string, text: string): string[] {
  const violations: string[] = []
  const name = path.split('/').at(-1) ?? ''
  if (/(^|[-.])(utils?|helpers?|commons?|managers?|services?)[-.]/.test(name)) {
    violations.push(`${path}: a file is named for what it exports`)
  }
  const code = withoutComments(text)
  // Tests of folders of generators have their programs as texts.
  const isExempt = /\.(?:config|test)\.ts$/.test(path)
  if (/\bexport\s+default\b|\bas\s+default\b/.test(code) && !isExempt) {
    violations.push(`${path}: no default exports`)
  }
  const lines = text.trimEnd().split('\n').length
  if (lines > maxLines && !/\blong:[ \t]*\S/.test(headerOf(text))) {
    violations.push(`${path}: ${lines} lines; at most ${maxLines}`)
  }
  return violations
}

/** The first comment of a file. */
function headerOf(text: string): string {
  return /^(#!.*\n)?((\s*\/\/.*\n)|(\s*\/\*[\s\S]*?\*\/))*/.exec(text)?.[0] ?? ''
}

/** The imports of a file, including type imports: paths from the root of the repository, or names of packages. */
export function importsOf(path: string, text: string): string[] {
  return namesOf(text).map((name) => pathOf(path, name))
}

/** As they are written. */
function namesOf(text: string): string[] {
  const code = withoutComments(text)
  const statements = [
    /(?:^|[;}\n])\s*(?:import|export)\b[^'"`;=(]*?\bfrom\s*['"]([^'"]+)['"]/g,
    /(?:^|[;}\n])\s*import\s*['"]([^'"]+)['"]/g,
    /\bimport\s*\(\s*['"`]([^'"`]+)['"`]/g,
  ]
  return statements.flatMap((pattern) => [...code.matchAll(pattern)].map(([, name = '']) => name))
}

/** The rooms' names are those of `imports` in package.json. */
function pathOf(path: string, name: string): string {
  if (name.startsWith('#')) return `server/${name.slice(1)}`
  return name.startsWith('.') ? join(dirname(path), name.replace(/\?.*/, '')) : name
}

/** Strings stay unchanged, so that a `//` in a URL is not a comment. */
function withoutComments(text: string): string {
  const pattern =
    /('(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`)|\/\/.*|\/\*[\s\S]*?\*\//g
  return text.replace(pattern, (_, string: string | undefined) => string ?? ' ')
}
