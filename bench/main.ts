// npm run bench: runs the requested sections and prints one table. The exit status is 1 if a response was wrong and 2
// if an argument is invalid. A missed target does not change it.

import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { findBinaries } from '../test/postgres.ts'
import type { BenchContext } from './harness/context.ts'
import { assignCores, keepCoreAwake, startPostgresOn } from './harness/cores.ts'
import { type Options, parseOptions, type Section, usage } from './harness/options.ts'
import { runFloods } from './jobs/floods.ts'
import { runScale } from './jobs/scale.ts'
import { runSites } from './jobs/sites.ts'
import { runStages } from './jobs/stages.ts'
import { runStoreSections, storeSections } from './jobs/store.ts'
import { runTls } from './jobs/tls.ts'
import { isTargetMet, type Row } from './results/compare-rounds.ts'
import { formatTable } from './results/format-table.ts'

const defaultCommand = [join(import.meta.dirname, '..', 'animal-store')]

let options: Options | 'help'
try {
  options = parseOptions(process.argv.slice(2), defaultCommand)
} catch (error) {
  console.error(`bench: ${(error as Error).message}\n\n${usage}`)
  process.exit(2)
}
if (options === 'help') {
  console.log(usage)
  process.exit(0)
}

const folder = mkdtempSync(join(tmpdir(), 'animal-store-bench-'))
chmodSync(folder, 0o755)
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
try {
  const { rows, notes } = await runBench(options)
  printReport(options, rows, notes)
  process.exitCode = rows.some((row) => row.errors > 0) ? 1 : 0
} catch (error) {
  console.error(`bench: ${(error as Error).message}`)
  process.exitCode = 1
}
process.exit()

async function runBench(selected: Options): Promise<{ rows: Row[]; notes: string[] }> {
  const startedAt = performance.now()
  const cores = assignCores()
  if (cores.generator !== undefined) keepCoreAwake(cores.generator, join(folder, 'awake.log'))
  const postgres = selected.engines.includes('postgresql')
    ? await startPostgresOn(cores.database, folder)
    : undefined
  const version = postgres && execFileSync(`${findBinaries()}/postgres`, ['--version'])
  const rows: Row[] = []
  const notes = [
    `${cpus()[0]?.model ?? 'unknown processor'}; ${cores.description.join('; ')}`,
    `Node ${process.version}${version ? `; ${version}`.trim() : ''}`,
    `${selected.rounds} alternating rounds of ${selected.seconds} s; load average at the start ` +
      `${loadavg()[0]?.toFixed(2)}`,
  ]
  const log = (line: string): void => {
    const seconds = Math.round((performance.now() - startedAt) / 1000)
    console.error(`${String(seconds).padStart(4)} s  ${line}`)
  }
  const context: BenchContext = { options: selected, cores, folder, postgres, notes, log }
  const runs: [sections: Section[], run: (context: BenchContext) => Promise<Row[]>][] = [
    [storeSections, runStoreSections],
    [['sites'], runSites],
    [['tls'], runTls],
    [['floods'], runFloods],
    [['scale'], runScale],
    [['stages'], runStages],
  ]
  for (const [sections, run] of runs) {
    if (!sections.some((section) => selected.sections.includes(section))) continue
    rows.push(...(await run(context)))
  }
  await postgres?.stop()
  return { rows, notes }
}

function printReport({ jsonFile }: Options, rows: Row[], notes: string[]): void {
  if (rows.length > 0) console.log(`${formatTable(rows)}\n`)
  for (const note of notes) console.log(note)
  if (rows.some((row) => row.limitedBy.length > 0)) {
    console.log('* limited by the load generator: the server could do more')
  }
  const withTarget = rows.map(isTargetMet).filter((met) => met !== undefined)
  if (withTarget.length > 0)
    console.log(`targets met: ${withTarget.filter(Boolean).length} of ${withTarget.length}`)
  if (jsonFile !== undefined) {
    const rowsWithMet = rows.map((row) => ({ ...row, met: isTargetMet(row) }))
    writeFileSync(jsonFile, `${JSON.stringify({ notes, rows: rowsWithMet }, undefined, 2)}\n`)
  }
}
