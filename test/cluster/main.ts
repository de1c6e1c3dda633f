// npm run chaos: three nodes on PostgreSQL with a synchronous standby, behind HAProxy, under load and faults; then every
// acknowledged operation is compared with what is stored. The exit status is 1 if anything is wrong.
import { type Options, parseOptions, usage } from './chaos-options.ts'
import { runChaos } from './run-chaos.ts'
import { startCluster } from './start-cluster.ts'

const startedAt = performance.now()
const log = (line: string): void => {
  console.error(
    `${String(Math.round((performance.now() - startedAt) / 1000)).padStart(5)} s  ${line}`,
  )
}

let options: Options | 'help'
try {
  options = parseOptions(process.argv.slice(2))
} catch (error) {
  console.error(`chaos: ${(error as Error).message}\n\n${usage}`)
  process.exit(2)
}
if (options === 'help') {
  console.log(usage)
  process.exit(0)
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

try {
  const cluster = await startCluster(log)
  try {
    process.exitCode = 1
    const violations = await runChaos(cluster, options, log)
    if (violations === 0) process.exitCode = 0
  } finally {
    if (process.exitCode !== 0 && options.logFolder !== undefined)
      cluster.writeLogs(options.logFolder)
    await cluster.stop()
  }
} catch (error) {
  console.error(`chaos: ${(error as Error).stack}`)
  process.exitCode = 1
}
process.exit()
