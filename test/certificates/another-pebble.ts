// Another authority in the lab, with other settings than the lab's own.
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  findPebble,
  type Pebble,
  type PebbleOptions,
  startPebble,
} from '../../lab/certificate-authority/pebble.ts'
import type { Lab } from '../../lab/lab.ts'

export interface AnotherPebble extends Pebble {
  /** The settings that make it the authority in use. */
  env: Record<string, string>
  /** Its root, and the lab's in CA_FILE. */
  rootsFile: string
}

let started = 0

export async function startAnotherPebble(
  lab: Lab,
  options: PebbleOptions = {},
): Promise<AnotherPebble> {
  const program = findPebble(process.env)
  if (!program) throw new Error('Missing: Debian’s package pebble. `npm test` fetches it.')
  const { ports, resolver } = lab.topology
  const folder = await mkdtemp(join(lab.folder, 'pebble-'))
  const pebble = await startPebble(
    program,
    {
      folder,
      // Above the lab's own addresses.
      address: resolver.replace(/\d+$/, `${200 + started++}`),
      port: 14_000,
      managementPort: 15_000,
      resolver: `${resolver}:${ports.dns}`,
      httpPort: ports.http,
      httpsPort: ports.https,
    },
    options,
  )
  const rootsFile = join(folder, 'roots.pem')
  const others = await readFile(join(lab.folder, 'authorities.pem'), 'utf8')
  await writeFile(rootsFile, others + (await readFile(pebble.rootFile, 'utf8')))
  const env = { ACME_DIRECTORY: pebble.directoryUrl, CA_FILE: rootsFile }
  return { ...pebble, env, rootsFile }
}
