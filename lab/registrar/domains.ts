// The domains that were bought: their records, and the version of each zone at each name server. The only writer.

import { parentOf } from '#dns/messages/dns-name.ts'
import type { Fault } from '../dns/name-server.ts'
import { type DnsWorld, zoneHead } from '../dns/start-dns.ts'
import {
  createZone,
  type Delay,
  type PublishedZone,
  publishZone,
  type Zone,
  type ZoneRecord,
} from '../dns/zone.ts'
import { type Provider, type ProviderId, providers, topLevels } from '../network/topology.ts'
import {
  checkBeside,
  type EditedRecord,
  RegistrarError,
  readRecord,
  writeRecord,
} from './edited-record.ts'

interface Domain {
  name: string
  provider: Provider
  records: { id: number; record: ZoneRecord }[]
  serial: number
  published: PublishedZone
  isDnssecBroken: boolean
}

export type Domains = ReturnType<typeof createDomains>
export type DomainView = ReturnType<Domains['describe']>

const maxDomains = 200
const maxRecords = 200
export function createDomains(
  { delegations, servers }: Pick<DnsWorld, 'delegations' | 'servers'>,
  now: () => number,
  /** What a provider adds to each of its zones. */
  ownRecords: (zone: string, provider: ProviderId) => ZoneRecord[] = () => [],
) {
  const domains = new Map<string, Domain>()
  /** The zones of the lab itself. */
  const taken = new Set([...servers.keys()].map(parentOf))
  let ids = 0

  function getDomain(name: string): Domain {
    const domain = domains.get(name)
    if (domain) return domain
    throw new RegistrarError(404, 'domain_not_found', `${name} is not registered here.`)
  }

  function getOthers({ records }: Domain, id: number): Domain['records'] {
    const others = records.filter((entry) => entry.id !== id)
    if (others.length < records.length) return others
    throw new RegistrarError(404, 'record_not_found', 'The record was deleted.')
  }

  function zoneOf({ name, provider, records, serial }: Omit<Domain, 'published'>): Zone {
    return createZone(name, [
      ...zoneHead(name, serial, provider.servers),
      ...ownRecords(name, provider.id),
      ...records.map(({ record }) => record),
    ])
  }

  function delegate({ isDnssecBroken, name, provider }: Domain): void {
    const { servers: names } = provider
    delegations.set(name, { zone: name, servers: names, hasBrokenDs: isDnssecBroken })
  }

  function host(domain: Domain): void {
    delegate(domain)
    for (const server of domain.provider.servers) {
      const read = (): Zone => domain.published.zoneAt(server)
      servers.get(server)?.zones.set(domain.name, { read, fault: 'none' })
    }
  }

  function unhostZone({ name, provider }: Domain): void {
    delegations.delete(name)
    for (const server of provider.servers) servers.get(server)?.zones.delete(name)
  }

  function publish(domain: Domain, records: Domain['records']) {
    const changed = { ...domain, records, serial: domain.serial + 1 }
    domain.published.publish(zoneOf(changed))
    Object.assign(domain, { records, serial: changed.serial })
    return describe(domain)
  }

  function read(domain: Domain, edited: EditedRecord, others: Domain['records']): ZoneRecord {
    if (others.length >= maxRecords) {
      const message = `A domain has at most ${maxRecords} records.`
      throw new RegistrarError(409, 'too_many_records', message)
    }
    const record = readRecord(domain.name, edited, domain.provider)
    const beside = others.map(({ record: other }) => other)
    checkBeside(domain.name, record, beside, domain.provider)
    return record
  }

  function describe({ published, ...domain }: Domain) {
    return {
      name: domain.name,
      provider: domain.provider.id,
      isDnssecBroken: domain.isDnssecBroken,
      serial: domain.serial,
      records: domain.records.map(({ id, record }) => ({
        id,
        fullName: record.name,
        ...writeRecord(domain.name, record),
      })),
      servers: published.describe().map(({ dueAt, server, ...state }) => ({
        name: server,
        address: servers.get(server)?.address ?? '',
        fault: servers.get(server)?.zones.get(domain.name)?.fault ?? ('none' as Fault),
        ...state,
        dueAt: dueAt ?? null,
      })),
    }
  }

  function open(
    name: string,
    provider: Provider,
    records: Domain['records'],
    serial: number,
  ): Domain {
    const unpublished = { name, provider, records, serial, isDnssecBroken: false }
    const domain = {
      ...unpublished,
      published: publishZone(zoneOf(unpublished), provider.servers, now),
    }
    domains.set(name, domain)
    host(domain)
    return domain
  }

  return {
    buy(name: string, providerId: ProviderId) {
      const provider = getProvider(providerId)
      checkName(name)
      if (domains.has(name) || taken.has(name))
        throw new RegistrarError(409, 'domain_taken', `${name} is taken.`, 'name')
      if (domains.size >= maxDomains) {
        const message = `The lab has at most ${maxDomains} domains.`
        throw new RegistrarError(409, 'too_many_domains', message)
      }
      return describe(open(name, provider, [], 1))
    },
    release(name: string): void {
      unhostZone(getDomain(name))
      domains.delete(name)
    },
    list: () =>
      [...domains.values()].map(({ name, provider, published, records }) => ({
        name,
        provider: provider.id,
        records: records.length,
        isCurrent: published.describe().every(({ isCurrent }) => isCurrent),
      })),
    describe: (name: string) => describe(getDomain(name)),
    /** Undefined for a domain that is not registered here. */
    find: (name: string) => {
      const domain = domains.get(name)
      return domain && describe(domain)
    },
    addRecord(name: string, edited: EditedRecord) {
      const domain = getDomain(name)
      const record = read(domain, edited, domain.records)
      return publish(domain, [...domain.records, { id: ++ids, record }])
    },
    changeRecord(name: string, id: number, edited: EditedRecord) {
      const domain = getDomain(name)
      const record = read(domain, edited, getOthers(domain, id))
      return publish(
        domain,
        domain.records.map((entry) => (entry.id === id ? { id, record } : entry)),
      )
    },
    removeRecord(name: string, id: number) {
      const domain = getDomain(name)
      return publish(domain, getOthers(domain, id))
    },
    /** Replaces all records at the names of these records, in one new version. */
    putRecords(name: string, edited: EditedRecord[]) {
      const domain = getDomain(name)
      const records = edited.map((one) => read(domain, one, []))
      const replaced = new Set(records.map((record) => record.name))
      const remaining = domain.records.filter(({ record }) => !replaced.has(record.name))
      return publish(domain, [...remaining, ...records.map((record) => ({ id: ++ids, record }))])
    },
    /** Replaces all records, in one new version. */
    replaceAll(name: string, edited: EditedRecord[]) {
      const domain = getDomain(name)
      const records = edited.map((one) => ({ id: ++ids, record: read(domain, one, []) }))
      return publish(domain, records)
    },
    /** A new version of each zone of a provider, whose own records have changed. */
    republish(provider: ProviderId): void {
      for (const domain of domains.values())
        if (domain.provider.id === provider) publish(domain, domain.records)
    },
    moveTo(name: string, providerId: ProviderId) {
      const domain = getDomain(name)
      const provider = getProvider(providerId)
      if (provider === domain.provider) return describe(domain)
      const remaining = domain.records.filter(
        ({ record }) => record.type !== 'ALIAS' || provider.hasAlias,
      )
      unhostZone(domain)
      const moved = open(name, provider, remaining, domain.serial + 1)
      moved.isDnssecBroken = domain.isDnssecBroken
      delegate(moved)
      return describe(moved)
    },
    changeServer(name: string, server: string, { delay, fault }: { delay?: Delay; fault?: Fault }) {
      const domain = getDomain(name)
      const hosted = servers.get(server)?.zones.get(name)
      if (!hosted || !domain.provider.servers.includes(server))
        throw new RegistrarError(404, 'server_not_found', `${server} does not hold ${name}.`)
      if (delay !== undefined) domain.published.setDelay(server, delay)
      if (fault !== undefined) hosted.fault = fault
      return describe(domain)
    },
    breakDnssec(name: string, isBroken: boolean) {
      const domain = getDomain(name)
      domain.isDnssecBroken = isBroken
      delegate(domain)
      return describe(domain)
    },
    reset(): void {
      for (const domain of domains.values()) unhostZone(domain)
      domains.clear()
    },
  }
}

function checkName(name: string): void {
  const [label = '', topLevel = '', ...more] = name.split('.')
  const isLabel = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(label)
  if (!isLabel || more.length > 0 || !(topLevels as readonly string[]).includes(topLevel)) {
    const endings = topLevels.map((end) => `.${end}`).join(' or ')
    const message = `A domain is letters, digits and hyphens, and ends in ${endings}.`
    throw new RegistrarError(422, 'invalid_domain', message, 'name')
  }
}

export function getProvider(id: string): Provider {
  const provider = providers.find((one) => one.id === id)
  if (provider) return provider
  throw new RegistrarError(422, 'invalid_provider', 'There is no such provider.', 'provider')
}
