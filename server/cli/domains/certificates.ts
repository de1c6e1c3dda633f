// The command certificates root: prints PEM alone, so that the output can be written to a file.
import { systemClock } from '#kit/clock.ts'
import { type Command, CommandError, print } from '../command-line/command.ts'

export const certificatesRoot: Command = {
  name: 'certificates root',
  summary: 'Prints the root certificate of the internal certificate authority.',
  details:
    'On localhost and private networks, which public authorities cannot reach, the program issues certificates itself (ACME_DIRECTORY=internal). Add this root to the trust store of browsers and programs. It is created if there is none yet.',
  options: {
    replace: {
      meaning: 'Create a new root instead, such as when the encryption key of the old one is lost.',
    },
  },
  async run(input) {
    const { withPublishing } = await import('../command-line/local-database.ts')
    const { openSecrets } = await import('#kit/secrets.ts')
    const { forgetInternalRoot, getInternalRoot, internalHostsOf } = await import(
      '#domains/certificates/authorities/internal-authority.ts'
    )
    const chain = await withPublishing(async (database, config) => {
      const { directory } = config.acme
      if (directory !== 'internal') {
        throw new CommandError(`certificates are issued by ${directory}, which browsers trust`)
      }
      const secrets = openSecrets(config)
      const internalHosts = internalHostsOf(config)
      if (input.options.replace !== undefined) await forgetInternalRoot(database)
      return (await getInternalRoot({ database, clock: systemClock, secrets, internalHosts })).chain
    })
    print(input, { root: chain }, chain.trimEnd())
    return undefined
  },
}
