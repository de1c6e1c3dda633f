// How many connections a process can have: below its limit of open files, which databases and outgoing requests need,
// too.

interface Report {
  userLimits?: { open_files?: { soft: number | 'unlimited' } }
}

/** For databases, files, outgoing connections, and what Node opens: at least this, or an eighth of all. */
const minReserved = 100

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

/** At most `wanted`. */
export function maxConnections(wanted: number, openFiles = maxOpenFiles()): number {
  if (openFiles === Number.POSITIVE_INFINITY) return wanted
  return Math.min(wanted, openFiles - Math.max(minReserved, Math.ceil(openFiles / 8)))
}
