// How many connections a process can have: fewer than its limit of open files, because databases and outgoing requests need
// some of these.
import { ConfigError } from '../../config/config.ts'
import type { Logger } from '../../log.ts'

interface Report {
  userLimits?: { open_files?: { soft: number | 'unlimited' } }
}

/** For databases, files, outgoing connections, and what Node opens: at least this, or an eighth of all. */
const minReserved = 100

const fewOpenFiles = 1024
const minConnections = 16

let known: number | undefined

/** The open files that this process may have; Infinity where there is no limit. */
function maxOpenFiles(): number {
  if (known !== undefined) return known
  const report: typeof process.report & { excludeNetwork?: boolean } = process.report
  const before = report.excludeNetwork
  // Otherwise the report looks up the names of addresses.
  report.excludeNetwork = true
  const { userLimits } = report.getReport() as Report
  report.excludeNetwork = before === true
  const soft = userLimits?.open_files?.soft
  known = typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY
  return known
}

/** Throws ConfigError where nothing could be served. */
export function requireOpenFiles(log: Logger): void {
  const openFiles = maxOpenFiles()
  if (openFiles >= fewOpenFiles) return
  const text = `This process may open only ${openFiles} files: raise the limit to ${fewOpenFiles} or more (ulimit -n, or LimitNOFILE of systemd).`
  if (maxConnections(minConnections) < minConnections) throw new ConfigError(text)
  log.warn({ event: 'open_files.few', openFiles }, text)
}

/** At most `wanted`. */
export function maxConnections(wanted: number, openFiles = maxOpenFiles()): number {
  if (openFiles === Number.POSITIVE_INFINITY) return wanted
  return Math.min(wanted, openFiles - Math.max(minReserved, Math.ceil(openFiles / 8)))
}
