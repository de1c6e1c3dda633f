// certificates root: PEM on standard output, and nothing else, so that it can be written to a file.
import { systemClock } from '../../platform/clock.ts'
import { openSecrets } from '../../platform/secrets.ts'
import { getInternalRoot } from '../../publishing/certificates/authorities/internal-authority.ts'
import { CommandError, type Input, print } from '../command-line/command.ts'
import { onPublishing } from '../command-line/on-publishing.ts'

/** Runs the command: see certificates.ts. Made if there is none yet: it can be trusted before it is used. */
export async function runCertificatesRoot(input: Input): Promise<number> {
  const chain = await onPublishing(async (database, config) => {
    if (config.acme.directory !== 'internal') {
      throw new CommandError(
        `certificates come from ${config.acme.directory}, whose root browsers know`,
      )
    }
    const secrets = openSecrets(config)
    return (await getInternalRoot({ database, clock: systemClock, secrets })).chain
  })
  print(input, { root: chain }, chain.trimEnd())
  return 0
}
