// Wires certificates for one process: authorities, challenge types, logging.

import { setTimeout as delay } from 'node:timers/promises'
import type { ChallengeType } from '#acme/resources/authorizations.ts'
import type { Config } from '#kit/config/config.ts'
import type { Pem } from '#kit/http/tls/host-directory.ts'
import { portByAddress } from '#kit/network/address-port.ts'
import { openSecrets } from '#kit/secrets.ts'
import type { PublishingContext } from '#publishing/database/publishing-context.ts'
import type { FoundDomain } from '../database/domain-row.ts'
import type { DomainLease } from '../scheduling/domain-lease.ts'
import { type Authorities, openAuthorities } from './authorities/authorities.ts'
import { internalHostsOf } from './authorities/internal-authority.ts'
import type { CertificatesContext } from './issuance/issuance-context.ts'
import { processCertificate } from './issuance/process-certificate.ts'
import { limitsOf } from './rate-limits/rate-limits.ts'
import { findKeyAndChain, keyContext } from './records/certificate-rows.ts'
import { createChallengeAnswers } from './records/challenge-answers.ts'

const httpPort = 80

export type Certificates = ReturnType<typeof openCertificates>

export type CertificatesOptions = Pick<PublishingContext, 'clock' | 'database' | 'log'> &
  Pick<CertificatesContext, 'check' | 'count'> &
  Partial<Pick<CertificatesContext, 'limitsOf' | 'random' | 'servesHttps' | 'wait'>>

/** Created before `openCertificates`, because domain checks need the authorities. */
export function authoritiesOf(
  config: Config,
  { clock, database }: Pick<PublishingContext, 'clock' | 'database'>,
): Authorities {
  const { acme } = config
  const methods = methodsOf(config)
  return openAuthorities({ acme, clock, database, secrets: openSecrets(config), methods })
}

/** Takes over the authorities: they stop with it. */
export function openCertificates(
  config: Config,
  authorities: Authorities,
  options: CertificatesOptions,
) {
  const { clock, database, log } = options
  const secrets = openSecrets(config)
  const { profile } = config.acme
  const noted = new Set<string>()
  const context: CertificatesContext = {
    limitsOf,
    servesHttps: config.httpsPort !== undefined,
    random: Math.random,
    wait: (ms, signal) => delay(ms, undefined, { signal, ref: false }),
    ...options,
    secrets,
    authorities,
    profile,
    internalHosts: internalHostsOf(config),
    noteMissingProfile(directory) {
      if (noted.has(directory)) return
      noted.add(directory)
      log.warn(
        { event: 'certificate.profile_missing', profile, directory },
        'the authority does not offer this profile; ACME_PROFILE is ignored',
      )
    },
    methods: methodsOf(config),
    probePorts: portByAddress(config.probeAllow, httpPort),
  }
  return {
    /** Issues and renews in steps. Any process can continue where another stopped. */
    processCertificate: (domain: FoundDomain, lease: DomainLease, signal: AbortSignal) =>
      processCertificate(context, domain, lease, signal),
    ...createChallengeAnswers(database, clock),
    /** A certificate with its decrypted key. Rejects when it does not exist or cannot be decrypted. */
    async load(id: string): Promise<Pem> {
      const found = await findKeyAndChain(database.read, id)
      if (!found) throw new Error(`certificate ${id} not found`)
      const key = secrets.decrypt(found.privateKey, keyContext('certificate', id)).toString()
      return { chain: found.chain, key }
    },
    authorities: authorities.forCaa,
    stop: authorities.stop,
  }
}

/** TLS-ALPN-01 is answered on the HTTPS port (RFC 8737). */
function methodsOf({ httpsPort }: Config): ChallengeType[] {
  return httpsPort === undefined ? ['http-01'] : ['http-01', 'tls-alpn-01']
}
