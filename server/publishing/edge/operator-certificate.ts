// A certificate that the operator brings, such as a wildcard, for hosts of our own that it covers. It is used
// in place of certificates that the engine would get for them. What its files hold is looked at again and
// again, so that whoever renews it need not restart anything.
import { readFileSync } from 'node:fs'
import type { Clock } from '../../platform/clock.ts'
import { type Config, ConfigError } from '../../platform/config.ts'
import type { HostCertificate } from '../../platform/http/host-directory.ts'
import type { Logger } from '../../platform/log.ts'
import { covers, findChainProblem, readCertificate } from '../acme/certificate-facts.ts'

export interface OperatorCertificate {
  /** Undefined for hosts that it is not for, and for all once it has ended. */
  certificateFor(host: string): HostCertificate | undefined
  /** Takes up files that have changed. What cannot be used is logged, and the one before is kept. */
  keepUp(): void
}

interface Held extends HostCertificate {
  hosts: string[]
  notAfter: number
}

/**
 * Undefined when none is configured. Throws ConfigError when its files cannot be read, do not belong
 * together, or have ended.
 */
export function openOperatorCertificate(
  { ownCertificate: files }: Pick<Config, 'ownCertificate'>,
  clock: Clock,
  log: Logger,
): OperatorCertificate | undefined {
  if (!files) return undefined
  let held: Held
  try {
    held = read(files, clock())
  } catch (error) {
    throw new ConfigError(problemWith(files, error))
  }
  return {
    certificateFor: (host) =>
      clock() < held.notAfter && covers(held.hosts, host) ? held : undefined,
    keepUp() {
      try {
        const found = read(files, clock())
        if (found.id === held.id) return
        held = found
        log.info(
          { hosts: held.hosts, until: new Date(held.notAfter) },
          'another certificate of the operator is used',
        )
      } catch (error) {
        log.warn(problemWith(files, error))
      }
    },
  }
}

type Files = NonNullable<Config['ownCertificate']>

function read({ chainFile, keyFile }: Files, now: number): Held {
  const pem = { chain: readFileSync(chainFile, 'utf8'), key: readFileSync(keyFile, 'utf8') }
  const { fingerprint, hosts, notAfter } = readCertificate(pem.chain)
  const [host = ''] = hosts
  const problem = findChainProblem(pem, host, now)
  if (problem !== undefined) throw new RangeError(problem)
  return { id: `operator ${fingerprint}`, load: () => pem, hosts, notAfter }
}

function problemWith({ chainFile, keyFile }: Files, error: unknown): string {
  const { code, message, path } = error as NodeJS.ErrnoException
  const what = path === undefined ? message : `${path}: ${code}`
  return `PLATFORM_CERTIFICATE_FILE and PLATFORM_KEY_FILE cannot be ${chainFile} and ${keyFile} (${what}): they accept a chain of certificates that are valid now and its private key, both PEM.`
}
