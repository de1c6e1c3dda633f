// The API schemas of custom domains, and of the DNS records that they need.
import { type Static, Type } from 'typebox'
import { count, nullable, pageLimit, pageOf, text, words } from '#kit/schema/described-schema.ts'
import { type Badge, badges } from '../../../client/values/domain-badges.ts'
import { LastCheck, moment, PlainRecord, ZoneLine } from '../checks/check-schema.ts'
import { redirectStatuses } from '../database/domain-row.ts'
import {
  dnsStates,
  ownershipStates,
  preparationStates,
  servingStates,
  shownCertificateStates,
} from '../state/domain-state.ts'

const Allowance = Type.Object({
  most: Type.Integer({ description: 'Within the time that the authority looks back.' }),
  left: Type.Integer({ minimum: 0 }),
  until: nullable(moment, 'When there is one more; null while some are left.'),
})
const RateLimitsOfHost = Type.Object({
  failedValidations: nullable(Allowance, 'Attempts that may fail.'),
  certificatesOfHost: nullable(Allowance, 'Certificates for this host.'),
  certificatesOfDomain: nullable(Allowance, 'Certificates for all hosts of the registered domain.'),
  orders: nullable(Allowance, 'New orders of this server, or of the owner: whichever are fewer.'),
})

const Certificate = Type.Object(
  {
    state: words(
      shownCertificateStates,
      'blocked: no certificate is requested until a problem is fixed. retry_wait: the next request is at nextTryAt. awaiting_record: the TXT record of the challenge has to be set.',
    ),
    since: nullable(moment, 'When issuance began, while there is no certificate.'),
    steps: Type.Array(
      Type.Object({
        step: words(
          ['preflight', 'ordering', 'awaiting_record', 'validating'],
          'preflight: running pre-checks. awaiting_record: until every name server has the TXT record; only before DNS is switched. validating: until the certificate is issued.',
        ),
        state: words(['waiting', 'running', 'done', 'failed'], 'The progress of the step.'),
        elapsedMs: nullable(Type.Integer({ minimum: 0 }), 'How long it took, or has taken so far.'),
      }),
      { description: 'Of the last attempt; empty before the first one.' },
    ),
    issuer: nullable(Type.String(), 'Who issued the certificate in use.'),
    expiresAt: nullable(moment, 'Of the certificate in use; null without one.'),
    renewAt: nullable(moment, 'When it renews automatically.'),
    blockedBy: nullable(
      Type.String(),
      'The code of the diagnostic that blocks the certificate request, or budget, or https_off.',
    ),
    blockedReason: nullable(Type.String(), 'The same in a few words, without a full stop.'),
    problem: nullable(
      Type.Object({
        authority: Type.String({ description: 'As CAA records name it.' }),
        type: Type.String({ description: 'Such as rateLimited (RFC 8555, section 6.7).' }),
        status: Type.Integer(),
        detail: Type.String({ description: "The authority's own words." }),
        at: moment,
      }),
      'Why the authority did not issue when it was asked last.',
    ),
    failures: count('Attempts in a row that failed.'),
    nextTryAt: nullable(moment, 'When the next attempt starts after a failure.'),
    budget: nullable(
      RateLimitsOfHost,
      'The remaining rate limits of the authority; null where there are none, and in lists.',
    ),
  },
  { description: 'The certificate. It is issued and renewed automatically.' },
)

const redirectStatus = Type.Enum([...redirectStatuses], {
  type: 'integer',
  description: '301 and 308 are permanent, 302 and 307 temporary; 307 and 308 keep the method.',
})
/** What a form of a DNS provider asks for. */
const recordFields = {
  name: Type.String({ description: 'Relative to the zone; @ for the zone itself.' }),
  host: Type.String({ description: 'The full name.' }),
  value: Type.String(),
}
const hostFields = {
  host: Type.String({ description: 'As DNS has it: lower-case ASCII.' }),
  unicodeHost: Type.String({ description: 'For display: Unicode where that is safe.' }),
}

export const RequestedRecord = Type.Object(
  {
    purpose: words(
      ['site', 'ownership', 'challenge'],
      'site: visitors follow it to us. ownership: proves who owns the domain. challenge: the certificate authority validates the domain by it, before DNS is switched.',
    ),
    type: words(['CNAME', 'ALIAS', 'TXT'], 'ALIAS, at some providers ANAME, for an apex.'),
    ...recordFields,
    ttlSeconds: Type.Integer(),
    state: words(
      ['required', 'found', 'later', 'obsolete'],
      'required: has to be set now. found: every name server has it. later: to be set when you switch. obsolete: it can be deleted.',
    ),
    servers: nullable(
      Type.Object({
        responding: Type.Integer({ description: 'Name servers that answered.' }),
        updated: Type.Integer({ description: 'Those of them that have the record.' }),
      }),
      'Of the last check; null where it did not look for the record.',
    ),
    setBy: nullable(moment, 'Until when it has to be set; null where there is no limit.'),
    replaces: nullable(
      Type.Object({
        value: Type.String(),
        because: words(
          ['expired', 'refused', 'renewal', 'canceled'],
          'expired: the order at the authority is open no longer. refused: the authority did not accept it.',
        ),
      }),
      'The value before it, which is not valid any more.',
    ),
    zoneLine: ZoneLine,
  },
  { $id: 'RequestedRecord', description: 'A DNS record that a domain needs.' },
)
export type RequestedRecord = Static<typeof RequestedRecord>

const Preparation = Type.Object(
  {
    state: words(
      preparationStates,
      'requested: the certificate is issued before DNS points to us. switched: DNS points to us since.',
    ),
    since: nullable(moment, 'When it was requested, or DNS was switched.'),
    certificatesLeft: count('How many certificates are still requested before the switch.'),
  },
  { description: 'Whether the certificate is issued before DNS is switched.' },
)

export const Domain = Type.Object(
  {
    ...hostFields,
    project: Type.String({ description: 'The slug of its project.' }),
    addedAt: moment,
    version: Type.Integer({
      description: 'Of two responses, the one with the larger version has the newer state.',
    }),
    badge: words(
      Object.keys(badges) as Badge[],
      'The most urgent condition that the owner can act on.',
    ),
    status: Type.Object(
      {
        title: Type.String({ description: 'Such as `Fix DNS`.' }),
        tone: words(
          ['action', 'danger', 'progress', 'success', 'neutral'],
          'action and danger: the owner has to do something.',
        ),
        sentence: Type.String({ description: 'What is the case, in one sentence.' }),
        steps: Type.Array(
          Type.Object({
            title: words(
              ['DNS', 'Ownership', 'Certificate', 'Switch', 'Live'],
              'What it is about.',
            ),
            state: words(
              ['done', 'running', 'action', 'failed', 'waiting'],
              'action: the owner has to do something. running: it happens automatically.',
            ),
            note: Type.String({ description: 'Such as `Record required`.' }),
          }),
          { description: 'What has to be done until visitors reach the site, in this order.' },
        ),
        next: Type.String({
          description: 'What the owner does next, or what happens automatically.',
        }),
      },
      { description: 'What the state means to the owner, in words.' },
    ),
    ownership: words(
      ownershipStates,
      'disputed: another account holds it. revoked: another account proved ownership.',
    ),
    provenBy: nullable(
      words(['pointer', 'txt'], 'How ownership was proven.'),
      'Null unless ownership is proven.',
    ),
    dns: words(
      dnsStates,
      'drifting: it pointed to us and does not any more. lost: two checks at least 10 minutes apart say so.',
    ),
    certificate: Certificate,
    preparation: Preparation,
    records: Type.Array(RequestedRecord, {
      description: 'All DNS records that it needs now, or that can be deleted.',
    }),
    serving: words(
      servingStates,
      'off: not served. http_only: served, without a certificate. suspended: the plan has lapsed, and the name stays held.',
    ),
    role: words(
      ['primary', 'alias', 'redirect'],
      'What visitors get. primary: the site, at the canonical address for search engines. alias: the site as well. redirect: its address at another domain.',
    ),
    redirect: nullable(Type.Object({ to: Type.String(), status: redirectStatus }), 'Where to.'),
    pair: nullable(
      Type.String(),
      'The counterpart of example.com or www.example.com. Null for other hosts.',
    ),
    record: Type.Object(
      {
        type: words(['CNAME', 'ALIAS'], 'ALIAS, at some providers ANAME, for an apex.'),
        ...recordFields,
        value: Type.String({ description: 'The platform host, exactly.' }),
        ttlSeconds: Type.Integer(),
        zoneLine: ZoneLine,
      },
      { description: 'The DNS record to create.' },
    ),
    verification: Type.Object(
      {
        isRequired: Type.Boolean({
          description: 'Whether the record above is not enough to prove ownership.',
        }),
        reason: nullable(Type.String(), 'Why it is required.'),
        requiredFrom: nullable(
          moment,
          'From then on it is required, because a record that appears later may be the record of another owner. Null when it is required already, or ownership is proven.',
        ),
        ...recordFields,
      },
      { description: 'The TXT record that proves ownership, where it is asked for.' },
    ),
    checkedAt: nullable(moment, 'Null before the first check.'),
    nextVerifyAt: nullable(
      moment,
      'Until then, a request to verify it returns the result of the last check. Null before the first.',
    ),
    check: nullable(LastCheck, 'What the last check found.'),
  },
  { $id: 'Domain', description: 'A custom domain of a project.' },
)
export type Domain = Static<typeof Domain>

export const Domains = Type.Object(
  {
    items: Type.Array(Domain, { maxItems: 1000 }),
    missing: Type.Array(
      Type.Object({
        code: words(['plan_required', 'deploy_required'], 'As adding would be refused.'),
        message: Type.String({ description: 'What is missing, and what to do about it.' }),
      }),
      { description: 'Unmet preconditions for adding a domain; empty when there are none.' },
    ),
  },
  { $id: 'Domains', description: 'The custom domains of a project, by host.' },
)

export type Domains = Static<typeof Domains>

export const ListDomainsQuery = Type.Object({
  limit: pageLimit(50),
  after: Type.Optional(text(300, 'The `next` of the page before.')),
  owner: Type.Optional(
    text(40, 'Only of the projects of the account with this id. For operators.'),
  ),
})

export const DomainsOfProjects = pageOf(
  Type.Object({
    ...hostFields,
    project: Type.Object({ slug: Type.String(), name: Type.String() }),
    serving: words(servingStates, 'As for a domain.'),
  }),
  'DomainsOfProjects',
  'Custom domains of several projects, by host.',
  'The `after` of the next page; null at the end.',
)

const host = text(
  2000,
  'A domain or subdomain, such as docs.example.com. Of a pasted address, its host.',
  1,
)

export const NewDomain = Type.Object(
  {
    host,
    prepare: Type.Optional(
      Type.Boolean({
        description: 'Whether its certificate is issued before DNS points to us. Default: false.',
      }),
    ),
  },
  { $id: 'NewDomain', description: 'A domain to add.' },
)

export const DomainChange = Type.Object(
  {
    prepare: Type.Boolean({
      description:
        'Whether its certificate is issued before DNS points to us. No effect on a domain that points to us already.',
    }),
  },
  { $id: 'DomainChange', description: 'A change of a domain.' },
)

export const TypedHostname = Type.Object(
  { host },
  { $id: 'TypedHostname', description: 'User input to read as a host.' },
)

export const Hostname = Type.Object(
  {
    ...hostFields,
    registrableDomain: Type.String({ description: 'By the public suffix list.' }),
    label: Type.String({ description: 'The labels below it; @ for the domain itself.' }),
    isApex: Type.Boolean(),
    pair: nullable(Type.String(), 'The counterpart of example.com or www.example.com.'),
  },
  { $id: 'Hostname', description: 'User input read as a host.' },
)

export const NewDomainCheck = Type.Object(
  {
    host,
    planned: Type.Optional(
      text(
        20_000,
        'Records that are planned, to be judged instead of those there are: lines of a zone file, or JSON.',
      ),
    ),
  },
  { $id: 'NewDomainCheck', description: 'A host to check.' },
)

export const DomainConfiguration = Type.Object(
  {
    primary: nullable(
      Type.String({ maxLength: 2000 }),
      'The canonical domain for search engines; null for none.',
    ),
    redirects: Type.Array(
      Type.Object({
        from: Type.String({ maxLength: 2000 }),
        to: text(2000, 'A domain of the project that serves the site. Path and query are kept.'),
        status: redirectStatus,
      }),
      { maxItems: 1000 },
    ),
  },
  {
    $id: 'DomainConfiguration',
    description: 'What visitors get at each domain: those not named serve the same site.',
  },
)

const RemovalReport = Type.Object({
  seconds: Type.Number({
    description: 'From the request until every node had closed its connections.',
    examples: [0.13],
  }),
  nodes: Type.Object({
    acknowledged: Type.Integer({ description: 'Processes that have closed its connections.' }),
    living: Type.Integer({
      description: 'Processes that serve. Not all have acknowledged where one took over 5 s.',
    }),
  }),
  connectionsCut: Type.Integer({ description: 'Closed connections, on all nodes.' }),
  tls: nullable(
    Type.Enum(['refused', 'answered', 'no_answer']),
    'What a TLS handshake with its name met then. Null where there was nothing to ask.',
  ),
  http: nullable(
    Type.Integer({ examples: [404] }),
    'Status of a request for it by plain HTTP then. Null where there was nothing to ask.',
  ),
})

export const RemovedDomain = Type.Object(
  {
    host: Type.String(),
    records: Type.Array(PlainRecord, {
      description: 'The DNS records to delete now, as found by the last check or asked for.',
    }),
    authorizations: count(
      'Authorizations at the certificate authority that are being deactivated: after that, no certificate can be requested without another validation.',
    ),
    heldUntil: nullable(
      moment,
      'Until then a pointer alone does not prove ownership for another account. Null when it was never proven.',
    ),
    wasPrimary: Type.Boolean({ description: 'Whether the project has no primary any more.' }),
    endedRedirects: Type.Array(Type.String(), {
      description: 'Hosts that redirected to it; they serve the site from now on.',
    }),
    offline: nullable(
      RemovalReport,
      'How the removal was verified. Null when it was not served before.',
    ),
  },
  { $id: 'RemovedDomain', description: 'What is left to do after a domain was removed.' },
)
export type RemovedDomain = Static<typeof RemovedDomain>
