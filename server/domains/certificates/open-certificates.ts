// Wires certificates for one process: authorities, challenge types, logging, and what is issued again after a key was
// lost.

import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import type { ChallengeType } from '#acme/resources/orders.ts'
import type { Config } from '#kit/config/config.ts'
import { locked } from '#kit/database/transactions.ts'
import type { Pem } from '#kit/http/tls/secure-contexts.ts'
import { keyIdPosition, openSecrets } from '#kit/secrets.ts'
import type { PublishingContext } from '#publishing/database/publishing-context.ts'
import { prepareQuery } from '#publishing/database/tables.ts'
import { applyEvent } from '../database/apply-event.ts'
import type { FoundDomain } from '../database/domain-row.ts'
import { findDomainById } from '../database/find-domains.ts'
import { listLivingNodes } from '../edge/removal/node-presence.ts'
import { probePortsOf } from '../evidence/fetch-at-address.ts'
import type { DomainLease } from '../scheduling/domain-worker.ts'
import { type Authorities, openAuthorities } from './authorities/authorities.ts'
import { internalHostsOf } from './authorities/internal-authority.ts'
import type { CertificatesContext } from './issuance/leased-write.ts'
import { processCertificate } from './issuance/process-certificate.ts'
import { limitsOf } from './rate-limits/attempt-log.ts'
import { createChallengeAnswers, findKeyAndChain, keyContext } from './records/certificate-rows.ts'

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
    probePorts: probePortsOf(config),
  }
  return {
    /** Issues and renews in steps. Any process can continue where another stopped. */
    processCertificate: (domain: FoundDomain, lease: DomainLease, signal: AbortSignal) =>
      processCertificate(context, domain, lease, signal),
    ...createChallengeAnswers(database, clock),
    /** A certificate with its decrypted key. Rejects when it does not exist or cannot be decrypted. */
    async load(id: string): Promise<Pem> {
      const stored = await findKeyAndChain(database.read, id)
      if (!stored) throw new Error(`certificate ${id} not found`)
      const key = secrets.decrypt(stored.privateKey, keyContext('certificate', id)).toString()
      return { chain: stored.chain, key }
    },
    authorities: authorities.forCaa,
    stop: authorities.stop,
  }
}

/** TLS-ALPN-01 is answered on the HTTPS port (RFC 8737). */
function methodsOf({ httpsPort }: Config): ChallengeType[] {
  return httpsPort === undefined ? ['http-01'] : ['http-01', 'tls-alpn-01']
}

const { length, start } = keyIdPosition
const keyId = sql<string>`substr(private_key, ${sql.lit(start)}, ${sql.lit(length)})`
const domainsServed = prepareQuery<{ lost: string }>()((db, param) =>
  db
    .selectFrom('certificates')
    .select('domain_id as id')
    .where('is_current', '=', 1n)
    .where(keyId, '=', param('lost')),
)
const removals = (['acme_accounts', 'certificate_orders', 'certificates'] as const).map((table) =>
  prepareQuery<{ lost: string }>()((db, param) =>
    db.deleteFrom(table).where(keyId, '=', param('lost')),
  ),
)

/**
 * Makes everything count as missing that was encrypted with a lost key and can be issued again: certificates, open orders
 * and the accounts at authorities. The internal root is replaced by a command only, because people have to trust the new
 * one. Returns the number of certificates that are issued again. Undefined, and nothing is changed, while another process
 * serves: it may have the key, and only this one may have been given a wrong one.
 */
export const replaceUnreadable = locked(
  async (session, lost: string, now: number): Promise<number | undefined> => {
    if ((await listLivingNodes(session, now)).length > 0) return undefined
    const served = await session.all(domainsServed, { lost })
    for (const remove of removals) await session.all(remove, { lost })
    for (const { id } of served) {
      const domain = await findDomainById(session, id)
      const event = { type: 'renewal', at: now, renewAt: now, lookAt: now } as const
      if (domain) await applyEvent(session, domain, event)
    }
    return served.length
  },
)
