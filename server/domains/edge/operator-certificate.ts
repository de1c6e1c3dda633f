// The operator's certificate, such as a wildcard, for the platform hosts that it covers. It is used instead of issued
// certificates. The files are read again periodically, so a renewal needs no restart.
import { readFileSync } from 'node:fs'
import { covers, findChainProblem, readCertificate } from '#acme/x509/certificate.ts'
import type { Clock } from '#kit/clock.ts'
import { type Config, ConfigError } from '#kit/config/config.ts'
import type { HostCertificate } from '#kit/http/tls/secure-contexts.ts'
import type { Logger } from '#kit/log.ts'

export type OperatorCertificate = NonNullable<ReturnType<typeof openOperatorCertificate>>

/** Warns this long before it expires. */
const warnBeforeMs = 7 * 86_400_000

/**
 * Undefined when none is configured. Throws ConfigError when its files cannot be read. A certificate that cannot be
 * used is logged, and platform hosts get issued certificates.
 */
export function openOperatorCertificate(
  { ownCertificate: files }: Pick<Config, 'ownCertificate'>,
  clock: Clock,
  log: Logger,
) {
  if (!files) return undefined
  let held: ReturnType<typeof read> | undefined
  let warned: string | undefined

  function loadFiles(): void {
    try {
      const next = read(files as Files, clock())
      if (next.id === held?.id) return
      held = next
      log.info(
        {
          event: 'operator_certificate.loaded',
          hosts: next.hosts,
          until: new Date(next.notAfter),
        },
        'using the operator’s certificate',
      )
    } catch (error) {
      const problem = problemWith(files as Files, error)
      if (held === undefined && 'path' in (error as Error)) throw new ConfigError(problem)
      if (warned !== problem) log.warn({ event: 'operator_certificate.invalid' }, problem)
      warned = problem
    }
  }

  function warnOfExpiry(now: number): void {
    if (!held || held.notAfter - now > warnBeforeMs || warned === held.id) return
    warned = held.id
    log.warn(
      { event: 'operator_certificate.expiring', hosts: held.hosts, until: new Date(held.notAfter) },
      'the operator’s certificate expires soon; renew it in PLATFORM_CERTIFICATE_FILE',
    )
  }

  const current = () => (held && clock() < held.notAfter ? held : undefined)
  loadFiles()
  let used = current()?.id
  return {
    /** Undefined for hosts that it does not cover, and while it cannot be used. */
    certificateFor(host: string): HostCertificate | undefined {
      const now = current()
      return now && covers(now.hosts, host) ? now : undefined
    },
    /** Also when it has expired; undefined while none could be read. */
    expiresAt: () => held?.notAfter,
    /**
     * Loads changed files. A certificate that cannot be used is logged, and the previous one stays. Returns true when
     * the certificate was replaced or has expired since the last call.
     */
    reload(): boolean {
      loadFiles()
      warnOfExpiry(clock())
      const before = used
      used = current()?.id
      return used !== before
    },
  }
}

/** What is wrong; undefined if nothing is, or none is configured. */
export function inspectOperatorCertificate(
  { ownCertificate: files }: Pick<Config, 'ownCertificate'>,
  now: number,
): { isUsable: boolean; message: string } | undefined {
  if (!files) return undefined
  try {
    const { notAfter } = read(files, now)
    if (notAfter - now > warnBeforeMs) return undefined
    const message = `The certificate expires at ${new Date(notAfter).toISOString()}.`
    return { isUsable: true, message }
  } catch (error) {
    return { isUsable: false, message: problemWith(files, error) }
  }
}

type Files = NonNullable<Config['ownCertificate']>

function read({ chainFile, keyFile }: Files, now: number) {
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
  return `PLATFORM_CERTIFICATE_FILE cannot be ${chainFile},${keyFile} (${what}): it accepts a currently valid certificate chain and its private key, both PEM.`
}
