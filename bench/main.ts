// npm run bench: starts what was asked for, runs the jobs, prints one table. The exit status is
// 1 when an answer was wrong, 2 for wrong arguments; a missed target is a result, not a failure.

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { keepAwake } from './awake-core.ts'
import { placeOnCores } from './cores.ts'
import { type Surroundings, startFleet, stopFleet } from './fleet.ts'
import { runAcme } from './jobs/acme.ts'
import { runCertificates } from './jobs/certificates.ts'
import { runChecks } from './jobs/checks.ts'
import { runDepth } from './jobs/depth.ts'
import { runFleetJob } from './jobs/fleet-job.ts'
import { fleetJobs } from './jobs/fleet-jobs.ts'
import { runHosts } from './jobs/hosts.ts'
import { runImports } from './jobs/import.ts'
import { runIssuing } from './jobs/issuing.ts'
import { readMemory } from './jobs/memory.ts'
import { runSites } from './jobs/sites.ts'
import { runTls } from './jobs/tls.ts'
import { runWorkers } from './jobs/workers.ts'
import { type Options, readOptions, type Section, usage } from './options.ts'
import { isMet, type Row } from './results.ts'
import { formatTable } from './table.ts'
import { startPostgres } from './throwaway-postgres.ts'

const oursByDefault = [join(import.meta.dirname, '..', 'animal-store')]

let options: Options | 'help'
try {
  options = readOptions(process.argv.slice(2), oursByDefault)
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
  report(options, rows, notes)
  process.exitCode = rows.some((row) => row.errors > 0) ? 1 : 0
} catch (error) {
  console.error(`bench: ${(error as Error).message}`)
  process.exitCode = 1
}
process.exit()

async function runBench(chosen: Options): Promise<{ rows: Row[]; notes: string[] }> {
  const started = performance.now()
  const cores = placeOnCores()
  if (cores.generator !== undefined) keepAwake(cores.generator, join(folder, 'awake.log'))
  const postgres = chosen.engines.includes('postgresql')
    ? await startPostgres(folder, cores.database)
    : undefined
  const notes = [
    `${cpus()[0]?.model ?? 'unknown processor'}; ${cores.description.join('; ')}`,
    `Node ${process.version}${postgres ? `; ${postgres.version}` : ''}`,
    `${chosen.rounds} alternated rounds of ${chosen.seconds} s; load of the machine at the ` +
      `start ${loadavg()[0]?.toFixed(2)}`,
  ]
  const say = (line: string): void => {
    const seconds = Math.round((performance.now() - started) / 1000)
    console.error(`${String(seconds).padStart(4)} s  ${line}`)
  }
  const surroundings: Surroundings = { options: chosen, cores, folder, postgres, say }
  const has = (section: Section): boolean => chosen.sections.includes(section)

  const rows: Row[] = []
  const inFleet: Section[] = ['hot', 'cold', 'get', 'create', 'mix', 'memory']
  if (inFleet.some(has)) rows.push(...(await runFleetSections(surroundings)))
  if (has('depth')) rows.push(...(await runDepth(surroundings)))
  if (has('workers')) {
    const found = await runWorkers(surroundings)
    rows.push(...found.rows)
    notes.push(...found.notes)
  }
  if (has('sites')) rows.push(...(await runSites(surroundings)))
  if (has('tls')) rows.push(...(await runTls(surroundings)))
  if (has('certificates')) rows.push(...(await runCertificates(surroundings)))
  if (has('hosts')) rows.push(...(await runHosts(surroundings)))
  if (has('issuing')) {
    const found = await runIssuing(surroundings)
    rows.push(...found.rows)
    notes.push(...found.notes)
  }
  if (has('import')) {
    const found = await runImports(surroundings)
    rows.push(...found.rows)
    notes.push(...found.notes)
  }
  if (has('checks')) {
    const found = await runChecks(surroundings)
    rows.push(...found.rows)
    notes.push(...found.notes)
  }
  if (has('acme')) rows.push(...(await runAcme(surroundings)))
  await postgres?.stop()
  return { rows, notes }
}

async function runFleetSections(surroundings: Surroundings): Promise<Row[]> {
  const { sections } = surroundings.options
  const fleet = await startFleet(surroundings)
  const jobs = fleetJobs(surroundings, fleet)
  // Memory after a run needs a run.
  const chosen: Section[] = sections.some((name) => jobs.has(name))
    ? sections
    : ['hot', ...sections]
  const rows: Row[] = []
  for (const section of chosen) {
    for (const job of jobs.get(section) ?? []) {
      const found = await runFleetJob(job, fleet, surroundings)
      if (sections.includes(section)) rows.push(...found)
    }
  }
  if (sections.includes('memory')) rows.push(...readMemory(fleet))
  await stopFleet(fleet)
  return rows
}

function report({ jsonFile }: Options, rows: Row[], notes: string[]): void {
  console.log(`${formatTable(rows)}\n`)
  for (const note of notes) console.log(note)
  if (rows.some((row) => row.limitedBy.length > 0)) {
    console.log('* the load generator was the limit: the server could do more')
  }
  const judged = rows.map(isMet).filter((met) => met !== undefined)
  console.log(`targets met: ${judged.filter(Boolean).length} of ${judged.length}`)
  if (jsonFile !== undefined) {
    const withMet = rows.map((row) => ({ ...row, met: isMet(row) }))
    writeFileSync(jsonFile, `${JSON.stringify({ notes, rows: withMet }, undefined, 2)}\n`)
  }
}
