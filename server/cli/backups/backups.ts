// The declarations of backup, backup verify and restore. The run-*.ts files, which only they load, run them.
import type { Command } from '../command-line/command.ts'

export const backupCommands: Command[] = [
  {
    name: 'backup verify',
    summary: 'Checks every byte of a backup, and shows what it contains.',
    operands: ['FILE'],
    options: {},
    run: async (input) => (await import('./run-restore.ts')).runVerify(input),
  },
  {
    name: 'backup',
    summary: 'Writes a backup of everything to one file, while the server is running.',
    details:
      'It has all databases as of one moment: production, staging, publishing and limits. In a folder it gets a name with the time. The file is checked before it gets its name. Every backup can be restored on SQLite and on PostgreSQL.',
    operands: ['FOLDER|FILE'],
    options: {
      'with-key': {
        meaning:
          'Include secret.key. Whoever has the file can then decrypt its signing secrets and private keys.',
      },
    },
    run: async (input) => (await import('./run-backup.ts')).runBackup(input),
  },
  {
    name: 'restore',
    summary: 'Restores a backup into an empty data folder or an empty PostgreSQL database.',
    details:
      'The place is that of the configuration: DATA_DIR, or DATABASE_URL. Nothing is ever overwritten: a place that has databases is shown and refused.',
    operands: ['FILE'],
    options: { 'dry-run': { meaning: 'Check the file and the place, change nothing.' } },
    run: async (input) => (await import('./run-restore.ts')).runRestore(input),
  },
]
