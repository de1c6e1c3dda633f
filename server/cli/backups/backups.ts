// The declarations of backup, backup verify, restore, migrate-to and read-only off. The run-*.ts files, which only they
// load, run them.
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
  {
    name: 'migrate-to',
    summary: 'Moves everything to an empty PostgreSQL database, while the server is running.',
    details:
      'Everything is copied and compared; only at the end writes are refused (503) for a moment, whose length is printed before. Then the old databases stay read-only. When the command is interrupted, run it again: it goes on. The password is read from PGPASSWORD or ~/.pgpass.',
    operands: ['POSTGRES_URL'],
    options: {
      'dry-run': { meaning: 'Read everything, estimate the read-only window, change nothing.' },
      'max-read-only': {
        value: 'DURATION',
        meaning: 'Stop before the read-only window if it would take longer (30s, 5m).',
      },
    },
    run: async (input) => (await import('./run-migrate-to.ts')).runMigrateTo(input),
  },
  {
    name: 'read-only off',
    summary: 'Accepts writes again after an interrupted or finished migrate-to.',
    details:
      'After a finished one, what is written to the old databases from then on is missing in the new place.',
    options: {},
    run: async (input) => (await import('./run-migrate-to.ts')).runReadOnlyOff(input),
  },
]
