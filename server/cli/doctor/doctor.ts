// The declaration of doctor. run-doctor.ts, which only it loads, runs it.
import type { Command } from '../command-line/command.ts'

export const doctor: Command = {
  name: 'doctor',
  summary: 'Checks this installation, and says what to do about each problem.',
  details:
    'It checks configuration, databases, disks, backups, ports, DNS, certificate authorities, clocks and mail, with or without a running server, and changes nothing. The exit status is 1 if there is a problem.',
  options: {},
  run: async (input) => (await import('./run-doctor.ts')).runDoctor(input),
}
