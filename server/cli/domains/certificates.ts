// certificates: what the command is called by. What it does is loaded only when it runs.
import type { Command } from '../command-line/command.ts'

export const certificatesRoot: Command = {
  name: 'certificates root',
  summary: 'Print the root of the authority of our own, for whoever is to trust its certificates.',
  details:
    'On localhost and private networks, where no public authority can look, the program issues certificates itself (ACME_DIRECTORY=internal). Browsers and programs believe them once they trust this root.',
  options: {},
  async run(input) {
    const { runCertificatesRoot } = await import('./run-certificates-root.ts')
    return await runCertificatesRoot(input)
  },
}
