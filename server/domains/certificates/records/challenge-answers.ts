// Challenge responses, from the database: any process can answer, whichever one created the order. Challenge
// certificates are cached, because anyone can request them.

import { createChallengeCertificate } from '#acme/resources/challenges.ts'
import type { Clock } from '#kit/clock.ts'
import { type Database, findOne } from '#kit/database/database.ts'
import type { Pem } from '#kit/http/tls/host-directory.ts'
import { prepareQuery } from '#publishing/database/tables.ts'

const maxKept = 100

const byToken = prepareQuery<{ host: string; token: string }>()((db, param) =>
  db
    .selectFrom('certificate_orders')
    .select('key_authorization as keyAuthorization')
    .where('host', '=', param('host'))
    .where('token', '=', param('token')),
)
const byHost = prepareQuery<{ host: string }>()((db, param) =>
  db
    .selectFrom('certificate_orders')
    .select('key_authorization as keyAuthorization')
    .where('host', '=', param('host'))
    .where('challenge_type', '=', 'tls-alpn-01')
    .where('order_url', 'is not', null)
    .limit(1),
)

export function createChallengeAnswers(database: Database, clock: Clock) {
  const certificates = new Map<string, Promise<Pem>>()
  return {
    /** The HTTP-01 response of a host during validation (RFC 8555, section 8.3). */
    async keyAuthorizationFor(host: string, token: string): Promise<string | undefined> {
      return (await findOne(database.read, byToken, { host, token }))?.keyAuthorization
    },
    /** The TLS-ALPN-01 certificate of a host during validation (RFC 8737). */
    async challengeFor(host: string): Promise<Pem | undefined> {
      const shown = await findOne(database.read, byHost, { host })
      if (!shown) return undefined
      const { keyAuthorization } = shown
      const key = `${host} ${keyAuthorization}`
      let made = certificates.get(key)
      if (!made) {
        made = createChallengeCertificate(host, keyAuthorization, clock())
        certificates.set(key, made)
        const [oldest] = certificates.keys()
        if (certificates.size > maxKept && oldest !== undefined) certificates.delete(oldest)
      }
      return await made
    },
  }
}
