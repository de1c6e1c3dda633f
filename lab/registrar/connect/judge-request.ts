// What a provider does with a request to apply a template, in the order of the specification (Steps to Apply a Template):
// template, parameters, signature, zone, host, records. Nothing is written here.
import type { ConnectTemplate } from '#optional/domain-connect/templates/connect-template.ts'
import type { Resolver } from '../../dns/resolver.ts'
import type { ProviderId } from '../../network/topology.ts'
import type { Domains } from '../domains.ts'
import { type ConnectState, peculiarities, templateKey } from './connect-state.ts'
import { type Applied, applyTemplate } from './template-engine/apply-template.ts'
import { TemplateError } from './template-engine/engine-records.ts'
import { findSignatureProblem } from './verify-signature.ts'
import { toEngineRecord } from './zone-records.ts'

export interface ConnectContext {
  connect: ConnectState
  domains: Domains
  resolver: Resolver
}

/** The page that was opened. */
export interface OpenedLink {
  provider: ProviderId
  providerId: string
  serviceId: string
  /** Without the question mark. */
  query: string
}

/** `code`: of RFC 6749, for the way back; undefined where the address to return to is not trusted. */
interface Refusal {
  message: string
  code: string | undefined
}

export interface Accepted {
  template: ConnectTemplate
  zone: string
  host: string
  fullName: string
  applied: Applied
  returnTo: URL | undefined
  state: string | undefined
}

const maxQueryLength = 8000
const parameters = ['domain', 'host', 'groupId', 'redirect_uri', 'state', 'key', 'sig']

export async function judgeRequest(
  { connect, domains, resolver }: ConnectContext,
  { provider, providerId, query, serviceId }: OpenedLink,
): Promise<{ ok: Accepted } | { refused: Refusal; returnTo?: URL; state?: string | undefined }> {
  const refuse = (message: string) => ({ refused: { message, code: undefined } })
  const template = connect[provider].templates.get(templateKey({ providerId, serviceId }))
  if (!template) return refuse(`${providerId} offers no service ${serviceId} here.`)
  if (query.length > maxQueryLength) return refuse('The link is too long.')
  const given = new URLSearchParams(query)
  const zone = given.get('domain')?.toLowerCase() ?? ''
  const host = (given.get('host') ?? '').toLowerCase()
  const isName =
    /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(zone) && /^([a-z0-9_-]+(\.[a-z0-9_-]+)*)?$/.test(host)
  if (!isName) return refuse('The link has no valid domain and host.')
  const { syncPubKeyDomain } = template
  const problem =
    syncPubKeyDomain === undefined
      ? undefined
      : await findSignatureProblem(resolver, query, syncPubKeyDomain, peculiarities[provider])
  if (problem !== undefined) return refuse(problem)
  const back = returnAddress(given.get('redirect_uri'), template)
  const state = given.get('state') ?? undefined
  const returning = { ...(back && { returnTo: back }), state }
  const fail = (code: string, message: string) => ({ refused: { code, message }, ...returning })
  if (template.syncBlock) return fail('unauthorized_client', 'The template is blocked.')
  const domain = domains.find(zone)
  if (!domain || domain.provider !== provider)
    return fail('access_denied', `${zone} is not in your account.`)
  const { ignoresModes } = peculiarities[provider]
  if (template.hostRequired && host === '' && !ignoresModes)
    return fail('invalid_request', 'The template needs a host.')
  const groups = given.get('groupId')?.split(',') ?? []
  const known = new Set(template.records.map(({ groupId }) => groupId))
  const unknown = groups.find((group) => !known.has(group))
  if (unknown !== undefined) return fail('invalid_request', `There is no group ${unknown}.`)
  const variables = [...given].filter(([name]) => !parameters.includes(name))
  try {
    const applied = applyTemplate({
      zone: domain.records.map(toEngineRecord),
      records: ignoresModes
        ? template.records.map(({ txtConflictMatchingMode: _, ...record }) => record)
        : template.records,
      ...{ domain: zone, host, groups },
      params: Object.fromEntries(variables),
    })
    const fullName = host === '' ? zone : `${host}.${zone}`
    return { ok: { template, zone, host, fullName, applied, returnTo: back, state } }
  } catch (error) {
    if (error instanceof TemplateError) return fail('invalid_request', error.message)
    throw error
  }
}

/** The signature was valid, or the template names the domain. */
function returnAddress(text: string | null, template: ConnectTemplate): URL | undefined {
  const url = text === null ? null : URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) return undefined
  const named = template.syncRedirectDomain?.split(',') ?? []
  return template.syncPubKeyDomain || named.includes(url.hostname) ? url : undefined
}
