// The registrar's JSON API: each route in one list, its answer as a value. Errors have the shape that the
// store's own have: code, message, status, details.

import type { DnsWorld } from '../dns/dns-world.ts'
import { type EditedRecord, editedTypes } from '../dns/edited-record.ts'
import { type Fault, faults } from '../dns/name-server.ts'
import type { Delay } from '../dns/published-zone.ts'
import {
  type LabPlaces,
  type ProviderId,
  platformHost,
  providers,
  topLevels,
} from '../network/addresses.ts'
import { ownSign, type ProxyMode, type ProxyState, proxyModes } from '../web/web-servers.ts'
import { type Domains, type DomainView, RegistrarError } from './domains.ts'
import { scenesFor } from './scenarios.ts'

export interface RegistrarContext {
  domains: Domains
  resolver: DnsWorld['resolver']
  places: LabPlaces
  proxy: ProxyState
}

/** An object as it came; each field is checked where it is used. */
export type Body = Record<string, unknown>

type Handler = (parts: string[], body: Body) => unknown

const longestDelaySeconds = 3600

/** By method and path; `*` is one part of a path. */
export function createRoutes({
  domains,
  places,
  proxy,
  resolver,
}: RegistrarContext): Record<string, Handler> {
  const scenes = scenesFor(places)
  return {
    'GET /api/lab': () => ({
      platformHost,
      topLevels,
      providers,
      recordTypes: editedTypes,
      faults,
      proxyModes,
      proxyMode: proxy.mode,
      addresses: {
        server: places.server,
        otherPlatform: places.otherPlatform,
        proxy: places.proxy,
        resolver: places.resolver,
      },
      ports: places.ports,
      scenes: scenes.map(({ about, id, title }) => ({ id, title, about })),
      domains: domains.list(),
    }),
    'POST /api/domains': (_, body) =>
      domains.buy(text(body, 'name').trim().toLowerCase(), text(body, 'provider') as ProviderId),
    'GET /api/domains/*': ([name = '']) => domains.describe(name),
    'DELETE /api/domains/*': ([name = '']) => domains.giveBack(name),
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
      if (typeof isBroken !== 'boolean') throw invalid('isBroken', 'isBroken is true or false.')
      return domains.breakDnssec(name, isBroken)
    },
    'PUT /api/domains/*/scene': ([name = ''], body) => {
      const scene = scenes.find(({ id }) => id === body.scene)
      if (!scene) throw invalid('scene', 'There is no such situation.')
      return play(name, scene, typeof body.name === 'string' ? body.name : 'docs')
    },
    'PUT /api/proxy': (_, body) => {
      proxy.mode = oneOf(body, 'mode', proxyModes) as ProxyMode
      if ('sign' in body) proxy.sign = text(body, 'sign')
      return { ...proxy }
    },
    'POST /api/resolver/forget': () => resolver.clear(),
    'POST /api/reset': () => {
      domains.reset()
      resolver.clear()
      proxy.mode = 'passes'
      proxy.sign = ownSign
    },
  }

  function play(
    domain: string,
    scene: ReturnType<typeof scenesFor>[number],
    name: string,
  ): DomainView {
    const { provider: id } = domains.describe(domain)
    const provider = providers.find((one) => one.id === id)
    if (!provider) throw invalid('provider', 'There is no such provider.')
    const records = scene.records(name, provider).map((record) => ({
      ...record,
      name: record.name.replaceAll('{zone}', domain),
      value: record.value.replaceAll('{zone}', domain),
    }))
    return domains.putRecords(domain, records)
  }
}

/** The body of an error, for whatever was thrown; undefined for what nobody expected. */
export function describeError(error: unknown): { status: number; body: object } | undefined {
  if (!(error instanceof RegistrarError)) return undefined
  const { code, field, message, status } = error
  const details = field ? { details: [{ path: field, message }] } : {}
  return { status, body: { code, message, status, ...details } }
}

const invalid = (field: string, message: string): RegistrarError =>
  new RegistrarError(422, 'invalid_body', message, field)

function text(body: Body, field: string): string {
  const value = body[field]
  if (typeof value !== 'string') throw invalid(field, `${field} is missing.`)
  return value
}

function oneOf(body: Body, field: string, values: readonly string[]): string {
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
  if (typeof value === 'number' && value >= 0 && value <= longestDelaySeconds) return value
  throw invalid('delay', `delay is 0 to ${longestDelaySeconds} seconds, or "held".`)
}
