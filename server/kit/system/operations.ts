// The operations on the system status in the management API, for operators.
import { declareOperations } from '../management/operation.ts'
import { System, SystemChecks, SystemHistory, SystemHistoryQuery } from './schema.ts'

export const operations = declareOperations(
  { tag: 'system', access: 'operator' },
  {
    getSystem: {
      route: 'GET /system',
      summary: 'Get system status',
      returns: System,
    },
    getSystemChecks: {
      route: 'GET /system/checks',
      summary: 'Check the installation',
      description:
        'Checks configuration, databases, disks, backups, object storage, ports, DNS, certificate authorities, clocks, mail and proxies, each with what to do. The checks run now, for at most ten seconds; concurrent requests share one run. `animal-store doctor` runs the same checks on the command line.',
      returns: SystemChecks,
    },
    getSystemHistory: {
      route: 'GET /system/history',
      summary: 'Get request counts and latencies',
      description:
        'Per minute for the last six hours, summed over all processes. Each process saves its counts every 30 seconds; requests are counted in the minute of the save. If a process crashes, its unsaved counts are lost. If PostgreSQL crashes, the whole history is lost.',
      query: SystemHistoryQuery,
      returns: SystemHistory,
    },
  },
)
