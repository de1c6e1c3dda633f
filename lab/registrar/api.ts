// The registrar's JSON API: every route in one list. Errors have the form of the store's errors. Scenarios set a domain to a
// typical state with one request.
import { type Fault, faults } from '../dns/name-server.ts'
import { type Delay, toStrings, type ZoneRecord } from '../dns/zone.ts'
import {
  initialOtherPlatform,
  type LabTopology,
  type OtherPlatformCaa,
  type OtherPlatformState,
  otherPlatformCaa,
  otherPlatformHost,
  type Provider,
  type ProviderId,
  platformHost,
  platformZone,
  providers,
  topLevels,
} from '../network/topology.ts'
import {
  type ProxyMode,
  type ProxyState,
  proxyModes,
  proxyServerHeader,
} from '../web/web-servers.ts'
import { type Domains, type DomainView, getProvider } from './domains.ts'
import { type EditedRecord, editedTypes, RegistrarError } from './edited-record.ts'

export interface RegistrarContext {
  domains: Domains
  /** Domain Connect at the providers. */
  connect: { routes: Record<string, Handler>; reset(): void }
  /** Replaces what the operator has added to the zone of the platform. */
  setPlatformRecords(records: ZoneRecord[]): void
  clearResolvers(): void
  topology: LabTopology
  proxy: ProxyState
  otherPlatform: OtherPlatformState
}

/** The parsed body; each field is validated where it is used. */
export type Body = Record<string, unknown>

type Handler = (parts: string[], body: Body) => unknown

const maxDelaySeconds = 3600

/** By method and path; `*` is one part of a path. */
export function createRoutes(context: RegistrarContext): Record<string, Handler> {
  const { clearResolvers, connect, domains, otherPlatform, proxy } = context
  const { setPlatformRecords, topology } = context
  const scenarios = scenariosFor(topology)
  return {
    'GET /api/lab': () => ({
      platformHost,
      topLevels,
      providers,
      recordTypes: editedTypes,
      faults,
      proxyModes,
      proxyMode: proxy.mode,
      otherPlatformHost,
      otherPlatformCaa,
      otherPlatform: { ...otherPlatform },
      addresses: {
        server: topology.server,
        otherPlatform: topology.otherPlatform,
        proxy: topology.proxy,
        resolver: topology.resolver,
      },
      ports: topology.ports,
      scenarios: Object.entries(scenarios).map(([id, [title, about]]) => ({ id, title, about })),
      domains: domains.list(),
    }),
    'POST /api/domains': (_, body) =>
      domains.buy(text(body, 'name').trim().toLowerCase(), text(body, 'provider') as ProviderId),
    'GET /api/domains/*': ([name = '']) => domains.describe(name),
    'DELETE /api/domains/*': ([name = '']) => domains.release(name),
    'POST /api/domains/*/records': ([name = ''], body) => domains.addRecord(name, edited(body)),
    'PUT /api/domains/*/records/*': ([name = '', id], body) =>
      domains.changeRecord(name, Number(id), edited(body)),
    'DELETE /api/domains/*/records/*': ([name = '', id]) => domains.removeRecord(name, Number(id)),
    'PUT /api/domains/*/provider': ([name = ''], body) =>
      domains.moveTo(name, text(body, 'provider') as ProviderId),
    'PUT /api/domains/*/servers/*': ([name = '', server = ''], body) =>
      domains.changeServer(name, server, {
        ...('delay' in body && { delay: delay(body) }),
        ...('fault' in body && { fault: oneOf(body, 'fault', faults) as Fault }),
      }),
    'PUT /api/domains/*/dnssec': ([name = ''], { isBroken }) => {
      if (typeof isBroken !== 'boolean')
        throw invalid('isBroken', 'isBroken must be true or false.')
      return domains.breakDnssec(name, isBroken)
    },
    'PUT /api/domains/*/scenario': ([name = ''], body) => {
      const scenario = scenarios[String(body.scenario)]
      if (!scenario) throw invalid('scenario', 'Unknown scenario.')
      return applyScenario(name, scenario, typeof body.name === 'string' ? body.name : 'docs')
    },
    'PUT /api/proxy': (_, body) => {
      proxy.mode = oneOf(body, 'mode', proxyModes) as ProxyMode
      if ('serverHeader' in body) proxy.serverHeader = text(body, 'serverHeader')
      return { ...proxy }
    },
    'PUT /api/other-platform': (_, body) => {
      otherPlatform.caa = oneOf(body, 'caa', otherPlatformCaa) as OtherPlatformCaa
      return { ...otherPlatform }
    },
    ...connect.routes,
    'PUT /api/platform-records': (_, { records }) =>
      setPlatformRecords(Array.isArray(records) ? records.map(platformRecord) : []),
    'POST /api/resolver/clear': () => clearResolvers(),
    'POST /api/reset': () => {
      domains.reset()
      connect.reset()
      clearResolvers()
      proxy.mode = 'pass_through'
      proxy.serverHeader = proxyServerHeader
      Object.assign(otherPlatform, initialOtherPlatform())
    },
  }

  function applyScenario(domain: string, [, , recordsOf]: Scenario, name: string): DomainView {
    const provider = getProvider(domains.describe(domain).provider)
    const records = recordsOf(name, provider).map((record) => ({
      ...record,
      name: record.name.replaceAll('{zone}', domain),
      value: record.value.replaceAll('{zone}', domain),
    }))
    return domains.putRecords(domain, records)
  }
}

/** A TXT record of the operator, such as that of a public key. */
function platformRecord(body: Body): ZoneRecord {
  const name = text(body, 'name').toLowerCase().replace(/\.$/, '')
  if (!name.endsWith(`.${platformZone}`)) throw invalid('name', `name is not in ${platformZone}.`)
  return { name, ttlSeconds: 60, type: 'TXT', strings: toStrings(text(body, 'value')) }
}

const invalid = (field: string, message: string): RegistrarError =>
  new RegistrarError(422, 'invalid_body', message, field)

function text(body: Body, field: string): string {
  const value = body[field]
  if (typeof value !== 'string') throw invalid(field, `${field} is missing.`)
  return value
}

/** A field with one of these values. */
export function oneOf(body: Body, field: string, values: readonly string[]): string {
  const value = text(body, field)
  if (!values.includes(value)) throw invalid(field, `${field} is one of ${values.join(', ')}.`)
  return value
}

function edited(body: Body): EditedRecord {
  return {
    name: text(body, 'name'),
    type: text(body, 'type').toUpperCase() as EditedRecord['type'],
    value: text(body, 'value'),
    ttlSeconds: Number(body.ttlSeconds ?? 300),
  }
}

function delay({ delay: value }: Body): Delay {
  if (value === 'held') return value
  const seconds = /^\d+$/.test(String(value)) ? Number(value) : Number.NaN
  if (seconds <= maxDelaySeconds) return seconds
  throw invalid('delay', `delay is 0 to ${maxDelaySeconds} seconds, or "held".`)
}

/** `about`: the state of the zone, in a sentence. The records are for a name below the domain (`docs`, or `@`). */
type Scenario = [
  title: string,
  about: string,
  records: (name: string, provider: Provider) => EditedRecord[],
]

const record = (
  name: string,
  type: EditedRecord['type'],
  value: string,
  ttlSeconds = 300,
): EditedRecord => ({ name, type, value, ttlSeconds })
const target = `${platformHost}.`

/** At the domain itself an ALIAS, or the address where the provider has none. */
function pointer(
  name: string,
  { hasAlias }: Provider,
  host: string,
  address: string,
  ttlSeconds?: number,
): EditedRecord {
  if (name === '@' && !hasAlias) return record(name, 'A', address, ttlSeconds)
  return record(name, name === '@' ? 'ALIAS' : 'CNAME', `${host}.`, ttlSeconds)
}

function scenariosFor(topology: LabTopology): Record<string, Scenario> {
  return {
    right: [
      'Correct setup',
      'The name points to the store’s documentation: a CNAME, or an ALIAS for the domain itself.',
      (name, provider) => [pointer(name, provider, platformHost, topology.server)],
    ],
    live_site: [
      'A live site moves',
      `The name serves a site at the other platform, over HTTPS: a CNAME to ${otherPlatformHost}, cached for an hour.`,
      (name, provider) => [
        pointer(name, provider, otherPlatformHost, topology.otherPlatform, 3600),
      ],
    ],
    appended: [
      'Doubled name',
      'The record is at docs.mossy.example.mossy.example, because the name was entered in full.',
      (name) => [record(`${name === '@' ? '' : `${name}.`}{zone}.{zone}.`, 'CNAME', target)],
    ],
    misspelt: [
      'Misspelled target',
      'The CNAME points almost to the right host.',
      (name) => [record(name === '@' ? 'docs' : name, 'CNAME', target.replace('o', '0'))],
    ],
    old_address: [
      'An old A record',
      'The name has an address of the other platform, and no CNAME.',
      (name) => [record(name, 'A', topology.otherPlatform)],
    ],
    proxy: [
      'Behind a proxy',
      'The name has the proxy’s address; what the proxy does is set on the first page.',
      (name) => [record(name, 'A', topology.proxy)],
    ],
    chain: [
      'Through another name',
      'The name points to a name that points to the right host.',
      (name) => [
        record(name === '@' ? 'docs' : name, 'CNAME', 'way.{zone}.'),
        record('way', 'CNAME', target),
      ],
    ],
    loop: [
      'A loop',
      'Two names that point to each other.',
      (name) => [
        record(name === '@' ? 'docs' : name, 'CNAME', 'pool.{zone}.'),
        record('pool', 'CNAME', `${name === '@' ? 'docs' : name}.{zone}.`),
      ],
    ],
    wildcard: [
      'A wildcard',
      'Every name below the domain points to the right host.',
      () => [record('*', 'CNAME', target)],
    ],
    caa_other: [
      'CAA for another authority',
      'Only another authority may issue certificates.',
      () => [record('@', 'CAA', '0 issue "other-authority.example"')],
    ],
    caa_none: [
      'CAA forbids all',
      'No authority may issue certificates.',
      () => [record('@', 'CAA', '0 issue ";"')],
    ],
  }
}
