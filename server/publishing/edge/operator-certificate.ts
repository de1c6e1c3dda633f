// A certificate that the operator brings, such as a wildcard, for hosts of our own that it covers. It is used
// in place of certificates that the engine would get for them. What its files hold is looked at again and
// again, so that whoever renews it need not restart anything.
import { readFileSync } from 'node:fs'
import type { Clock } from '../../platform/clock.ts'
import { type Config, ConfigError } from '../../platform/config/config.ts'
import type { HostCertificate } from '../../platform/http/tls/host-directory.ts'
import type { Logger } from '../../platform/log.ts'
import { covers, findChainProblem, readCertificate } from '../acme/x509/certificate-facts.ts'

export interface OperatorCertificate {
  /** Undefined for hosts that it is not for, and for all while there is none that can be used. */
  certificateFor(host: string): HostCertificate | undefined
  /**
   * Takes up files that have changed; what cannot be used is logged, and the one before is kept. True when
   * another is used, or it has ended, since this was asked last.
   */
  keepUp(): boolean
}

interface LoadedCertificate extends HostCertificate {
  hosts: string[]
  notAfter: number
}

/** From then on it is said that nobody has renewed it. */
const warnBeforeMs = 7 * 86_400_000

/**
 * Undefined when none is configured. Throws ConfigError when its files cannot be read; one that cannot be used
 * is logged, for hosts of ours get others then.
 */
export function openOperatorCertificate(
  { ownCertificate: files }: Pick<Config, 'ownCertificate'>,
  clock: Clock,
  log: Logger,
): OperatorCertificate | undefined {
  if (!files) return undefined
  let held: LoadedCertificate | undefined
  let warned: string | undefined

  function look(): void {
    try {
      const found = read(files as Files, clock())
      if (found.id === held?.id) return
      held = found
      log.info(
        { hosts: found.hosts, until: new Date(found.notAfter) },
        'the certificate of the operator is used',
      )
    } catch (error) {
      const problem = problemWith(files as Files, error)
      if (held === undefined && 'path' in (error as Error)) throw new ConfigError(problem)
      if (warned !== problem) log.warn(problem)
      warned = problem
    }
  }

  function warnOfEnd(now: number): void {
    if (!held || held.notAfter - now > warnBeforeMs || warned === held.id) return
    warned = held.id
    log.warn(
      { hosts: held.hosts, until: new Date(held.notAfter) },
      'the certificate of the operator ends soon: renew it in PLATFORM_CERTIFICATE_FILE',
    )
  }

  const current = (): LoadedCertificate | undefined =>
    held && clock() < held.notAfter ? held : undefined
  look()
  let used = current()?.id
  return {
    certificateFor(host) {
      const now = current()
      return now && covers(now.hosts, host) ? now : undefined
    },
    keepUp() {
      look()
      warnOfEnd(clock())
      const before = used
      used = current()?.id
      return used !== before
    },
  }
}

type Files = NonNullable<Config['ownCertificate']>

function read({ chainFile, keyFile }: Files, now: number): LoadedCertificate {
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
