// The API schema of the switch of a live domain: what was verified before DNS is changed, and the change.
import { type Static, Type } from 'typebox'
import { nullable, words } from '#kit/schema/described-schema.ts'
import { moment, PlainRecord } from './check-schema.ts'

/** The conditions, in the order in which they are shown. */
export const switchItems = {
  ownership: 'Ownership is proven by the TXT record.',
  certificate: 'The certificate is issued, and lasts long enough.',
  presented: 'Every address of ours presents this certificate for the host.',
  served: 'Every address of ours serves the site for the host.',
  redirect: 'Port 80 redirects to HTTPS.',
  https:
    'The old site has HTTPS, which browsers may insist on, and there is no certificate here yet.',
  records: 'Nothing is left beside the new record that leads elsewhere.',
  caa: 'CAA allows renewals after the switch.',
  ttl: 'The TTL of the old record is short.',
  caches: 'Caches have forgotten a longer TTL of before.',
} as const
export type SwitchItemCode = keyof typeof switchItems

export const DomainSwitch = Type.Object(
  {
    host: Type.String(),
    state: words(
      ['preparing', 'ready', 'switching', 'switched'],
      'switching: some name servers or caches still have the old record. switched: all point here.',
    ),
    ready: Type.Boolean({ description: 'Whether nothing speaks against changing the record now.' }),
    checkedAt: nullable(moment, 'When DNS was checked; null before the first check.'),
    items: Type.Array(
      Type.Object({
        code: words(
          Object.keys(switchItems) as SwitchItemCode[],
          Object.entries(switchItems)
            .map(([code, meaning]) => `${code}: ${meaning}`)
            .join(' '),
        ),
        state: words(
          ['passed', 'advice', 'waiting', 'failed'],
          'advice: it may be switched nevertheless. waiting: resolves automatically.',
        ),
        title: Type.String(),
        detail: Type.String(),
        fix: nullable(Type.String(), 'What to do; null where there is nothing to do.'),
        until: nullable(moment, 'When caches expire, or the certificate.'),
      }),
    ),
    bestFrom: nullable(
      moment,
      'From then on the switch reaches every visitor within the TTL of the old record. Null while that is longer than 300 s.',
    ),
    change: Type.Object(
      {
        from: Type.Array(PlainRecord, { description: 'Records of the host to delete.' }),
        to: Type.Object({
          type: words(['CNAME', 'ALIAS'], 'ALIAS, at some providers ANAME, for an apex.'),
          name: Type.String({ description: 'Relative to the zone; @ for the zone itself.' }),
          value: Type.String(),
          ttlSeconds: Type.Integer(),
        }),
      },
      { description: 'The one change to make at the DNS provider.' },
    ),
    preview: Type.Object(
      {
        command: Type.String({ description: 'Requests the host from us, whatever DNS says.' }),
        hostsLine: nullable(Type.String(), 'For the hosts file of a computer.'),
      },
      { description: 'The site under the name of the host, before DNS points here.' },
    ),
    cachedUntil: nullable(moment, 'When the last cache forgets the old record, as far as known.'),
    removable: Type.Array(
      Type.Object({ type: Type.Literal('TXT'), name: Type.String(), host: Type.String() }),
      { description: 'Records that are no longer needed, once it is switched.' },
    ),
    keepOldSiteUntil: nullable(
      moment,
      'Keep the old site running until then: open connections and resolvers that ignore TTLs may still use it.',
    ),
  },
  { $id: 'DomainSwitch', description: 'Whether a live domain can be switched to us, and how.' },
)
export type DomainSwitch = Static<typeof DomainSwitch>
export type SwitchItem = DomainSwitch['items'][number]
