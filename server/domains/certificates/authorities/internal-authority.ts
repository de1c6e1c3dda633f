// The internal authority for localhost and private networks: one root for all processes, stored encrypted. Issuing
// needs neither network nor validation. The root may certify only the names that this installation serves, and is
// renewed with the same key when half of its time is over or when a host needs another name.

import {
  type CertificateWithKey,
  createInternalRoot,
  issueInternally,
  readRoot,
  renewInternalRoot,
} from '#acme/x509/certificate.ts'
import { type Config, ownHostsOf, privateSuffixes } from '#kit/config/config.ts'
import { type Database, findOne, getOne } from '#kit/database/database.ts'
import { unlocked } from '#kit/database/transactions.ts'
import type { Secrets } from '#kit/secrets.ts'
import type { PublishingContext } from '#publishing/database/publishing-context.ts'
import { prepare } from '#publishing/database/tables.ts'

type RootContext = Pick<PublishingContext, 'database' | 'clock'> &
  Partial<Pick<PublishingContext, 'log'>> & {
    secrets: Secrets
    /** The hosts that the root may certify in any case. */
    internalHosts: readonly string[]
  }

export const internalIssuer = 'Animal Store Internal'
const lifeDays = 90
/** Half of the root's ten years. */
const renewBeforeMs = 5 * 365 * 86_400_000
export const internalRootContext = 'internal root'

const select = prepare.select('internal_roots', ['chain', 'private_key'], {})
/** Keeps a root that is there. */
const insert = prepare.upsert(
  'internal_roots',
  { id: 1n },
  { id: 1n },
  { chain: 'chain', private_key: 'privateKey' },
)
const replaceChain = prepare.update('internal_roots', { chain: 'newChain' }, { chain: 'chain' })

/** Both return the root that is stored then: the first one, or the one by which another process has replaced it. */
const saveRoot = unlocked(async (session, chain: string, privateKey: string) => {
  await session.all(insert, { chain, privateKey })
  return await getOne(session, select, {})
})
const renewRoot = unlocked(async (session, chain: string, newChain: string) => {
  await session.all(replaceChain, { chain, newChain })
  return await getOne(session, select, {})
})

const remove = prepare.delete('internal_roots', {})
/** The next certificate gets a new root. */
export const forgetInternalRoot = (database: Database) => database.execute(remove, {})

/** The hosts of the installation, and names that no public authority certifies. */
export function internalHostsOf(config: Config): string[] {
  return [...new Set([...privateSuffixes, ...ownHostsOf(config), config.platformHost])].filter(
    (host) => /[a-z]/i.test(host) && !host.includes(':'),
  )
}

/**
 * The root with its key, created on first use and shared by all processes. It may certify `hosts` and the hosts of the
 * installation, and is valid for five years at least.
 */
export async function getInternalRoot(
  context: RootContext,
  hosts: readonly string[] = [],
): Promise<CertificateWithKey> {
  const { clock, database, internalHosts, log, secrets } = context
  const needed = [...internalHosts, ...hosts]
  let row = await findOne(database.read, select, {})
  if (!row) {
    const root = await createInternalRoot(internalIssuer, clock(), withoutCovered(needed))
    const privateKey = secrets.encrypt(Buffer.from(root.key), internalRootContext)
    row = await saveRoot(database, root.chain, privateKey)
  }
  const withoutKey = 'Without it, run animal-store certificates root --replace.'
  const key = secrets.decrypt(row.private_key, internalRootContext, withoutKey).toString()
  for (;;) {
    const { chain } = row
    const { notAfter, permittedHosts } = readRoot(chain)
    const isPermitted = needed.every((host) => permittedHosts && isBelow(host, permittedHosts))
    if (isPermitted && notAfter - clock() > renewBeforeMs) return { chain, key }
    const hosts = withoutCovered([...(permittedHosts ?? []), ...needed])
    const renewed = renewInternalRoot({ chain, key }, clock(), hosts)
    row = await renewRoot(database, chain, renewed.chain)
    log?.warn(
      { event: 'internal_root.renewed', permittedHosts: hosts },
      'the internal root was renewed; replace it in the trust stores: animal-store certificates root',
    )
  }
}

/** A certificate of the internal authority, valid for 90 days. */
export async function issueFromInternalRoot(context: RootContext, host: string) {
  const root = await getInternalRoot(context, [host])
  return await issueInternally(root, [host], { days: lifeDays, now: context.clock() })
}

function isBelow(host: string, names: readonly string[]): boolean {
  return names.some((name) => host === name || host.endsWith(`.${name}`))
}

/** Each name once, without those that another one covers. */
function withoutCovered(names: readonly string[]): string[] {
  const all = new Set(names)
  return [...all].filter((name) => !isBelow(name, [...all.difference(new Set([name]))]))
}
