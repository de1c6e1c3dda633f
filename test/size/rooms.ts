// How large each room may be, in lines of code. A change that raises a budget says in its message what it took away, and
// why that was not enough.
import { countLines } from './count-lines.ts'

interface Room {
  name: string
  /** Path prefixes; a file belongs to the room with the longest one. */
  paths: string[]
  budget: number
  kind: 'core' | 'product' | 'tests'
}

export const rooms: Room[] = [
  { name: 'kit', paths: ['server/kit/'], budget: 14_366, kind: 'core' },
  { name: 'accounts', paths: ['server/accounts/'], budget: 3261, kind: 'core' },
  { name: 'store', paths: ['server/store/'], budget: 5555, kind: 'core' },
  { name: 'dns', paths: ['server/dns/'], budget: 1653, kind: 'core' },
  { name: 'acme', paths: ['server/acme/'], budget: 1200, kind: 'core' },
  { name: 'doctor', paths: ['server/doctor/'], budget: 3325, kind: 'core' },
  { name: 'renderer', paths: ['server/renderer/'], budget: 11_528, kind: 'product' },
  { name: 'publishing', paths: ['server/publishing/'], budget: 9103, kind: 'core' },
  { name: 'domains', paths: ['server/domains/'], budget: 8697, kind: 'core' },
  { name: 'optional', paths: ['server/optional/'], budget: 4121, kind: 'product' },
  { name: 'system-checks', paths: ['server/system-checks/'], budget: 859, kind: 'product' },
  { name: 'cli', paths: ['server/cli/'], budget: 3655, kind: 'product' },
  { name: 'main', paths: ['server/'], budget: 677, kind: 'product' },
  { name: 'client', paths: ['client/'], budget: 233, kind: 'product' },
  { name: 'dashboard', paths: ['dashboard/'], budget: 14_342, kind: 'product' },
  { name: 'lab', paths: ['lab/'], budget: 4916, kind: 'product' },
  { name: 'ops', paths: ['ops/', ''], budget: 427, kind: 'product' },
  { name: 'unit tests', paths: [], budget: 12_831, kind: 'tests' },
  { name: 'test', paths: ['test/'], budget: 50_715, kind: 'tests' },
  { name: 'bench', paths: ['bench/'], budget: 3977, kind: 'tests' },
]

export interface Size {
  files: number
  lines: number
  bytes: number
}

/** The size of each room, by its name. Paths are relative to the root of the repository. */
export function sizeOfRooms(sources: ReadonlyMap<string, string>): Map<string, Size> {
  const sizes = new Map(rooms.map(({ name }) => [name, { files: 0, lines: 0, bytes: 0 }]))
  for (const [path, text] of sources) {
    const size = isCode(path) && sizes.get(roomOf(path))
    if (!size) continue
    size.files++
    size.lines += countLines(path, text)
    size.bytes += Buffer.byteLength(text)
  }
  return sizes
}

export function sumOf(sizes: Map<string, Size>, ...kinds: Room['kind'][]): Size {
  const sum = { files: 0, lines: 0, bytes: 0 }
  for (const { name, kind } of rooms) {
    const size = kinds.includes(kind) && sizes.get(name)
    if (!size) continue
    sum.files += size.files
    sum.lines += size.lines
    sum.bytes += size.bytes
  }
  return sum
}

const launchers = [
  ...['animal-store', 'dashboard/dev', 'ops/pack', 'ops/try-container', 'bench/run', 'test/run'],
]

function isCode(path: string): boolean {
  return /\.(tsx?|css|m?js|sh|sql|html)$/.test(path) || launchers.includes(path)
}

function roomOf(path: string): string {
  if (isTest(path)) return 'unit tests'
  let best = { name: '', length: -1 }
  for (const { name, paths } of rooms) {
    for (const prefix of paths) {
      if (path.startsWith(prefix) && prefix.length > best.length)
        best = { name, length: prefix.length }
    }
  }
  return best.name
}

/** A test beside the code, or what only such tests import. */
function isTest(path: string): boolean {
  if (/^(test|bench)\//.test(path)) return false
  return /\.test\.tsx?$|-in-test\.tsx?$|\/fixtures\//.test(path)
}
