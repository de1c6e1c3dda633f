// The declaration of upgrade check. run-upgrade-check.ts, which only it loads, runs it.
import type { Command } from '../command-line/command.ts'

export const upgradeCheck: Command = {
  name: 'upgrade check',
  summary: 'Says what this version would do with the present databases, and changes nothing.',
  details:
    'Run it with the new version while the old one is running: the migrations with an estimate of their duration, checksums, whether the running processes may run beside this version, and the last backup. The exit status is 0 if everything is fine, and 1 otherwise.',
  options: {
    backup: {
      value: 'FOLDER|FILE',
      meaning: 'Where the last backup is, if it is not a scheduled one.',
    },
    'max-backup-age': {
      value: 'DURATION',
      meaning: 'How old the last backup may be (12h, 2d); 24h by default.',
    },
  },
  run: async (input) => (await import('./run-upgrade-check.ts')).runUpgradeCheck(input),
}
