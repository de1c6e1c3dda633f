// Self-signed ECDSA certificates for tests, created by openssl.
import { execFileSync } from 'node:child_process'
import { mkdtempDisposableSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Pem } from '#kit/http/tls/secure-contexts.ts'

/** A certificate for these hosts with a new key. `extensions` are further lines for openssl. */
export function makeCertificate(hosts: string[], extensions: string[] = []): Pem {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'certificate-'))
  const [keyFile, chainFile] = [join(folder.path, 'key.pem'), join(folder.path, 'chain.pem')]
  const names = `subjectAltName=${hosts.map((host) => `DNS:${host}`).join(',')}`
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
      ...['-days', '2', '-subj', `/CN=${hosts[0]}`, '-keyout', keyFile, '-out', chainFile],
      ...[names, ...extensions].flatMap((extension) => ['-addext', extension]),
    ],
    { stdio: 'pipe' },
  )
  return { chain: readFileSync(chainFile, 'utf8'), key: readFileSync(keyFile, 'utf8') }
}
