// Domain Connect at the lab's providers, as routes of the registrar's API: the consent page shows a request, and confirms or
// cancels it; the people of the lab give a provider a template or a quirk. A request is judged anew each time; only its
// confirmation writes to the zone.

import { createPublicKey, verify } from 'node:crypto'
import { recordsOfType } from '#dns/messages/exchange.ts'
import type { ConnectTemplate } from '#optional/domain-connect/links/connect-template.ts'
import type { Resolver } from '../../dns/resolver.ts'
import { type ProviderId, providers } from '../../network/topology.ts'
import { type Body, oneOf } from '../api.ts'
import { type Domains, getProvider } from '../domains.ts'
import { type EditedRecord, editedTypes, RegistrarError } from '../edited-record.ts'
import {
  type ConnectState,
  connectQuirks,
  noQuirks,
  peculiarities,
  type QuirkKind,
  templateKey,
} from './connect-state.ts'
import {
  type Applied,
  applyTemplate,
  type EngineRecord,
  TemplateError,
} from './template-engine/apply-template.ts'

interface ConnectContext {
  connect: ConnectState
  domains: Domains
  resolver: Resolver
}

/** The page that was opened. */
interface OpenedLink {
  provider: ProviderId
  providerId: string
  serviceId: string
  /** Without the question mark. */
  query: string
}

/** A request that is refused; `back`: where its page leads back to, if the address to return to is trusted. */
class Refused extends RegistrarError {
  readonly back: string | null
  constructor(message: string, back: string | null = null) {
    super(409, 'refused', message)
    this.back = back
  }
}

interface Accepted {
  template: ConnectTemplate
  zone: string
  fullName: string
  applied: Applied
  returnTo: URL | undefined
  state: string | undefined
}

const maxQueryLength = 8000
const parameters = ['domain', 'host', 'groupId', 'redirect_uri', 'state', 'key', 'sig']

/**
 * What a provider does with a request to apply a template, in the order of the specification (Steps to Apply a Template):
 * template, parameters, signature, zone, host, records. Writes nothing. Throws Refused.
 */
async function judgeRequest(
  { connect, domains, resolver }: ConnectContext,
  { provider, providerId, query, serviceId }: OpenedLink,
): Promise<Accepted> {
  const template = connect[provider].templates.get(templateKey({ providerId, serviceId }))
  if (!template) throw new Refused(`${providerId} offers no service ${serviceId} here.`)
  if (query.length > maxQueryLength) throw new Refused('The link is too long.')
  const searchParams = new URLSearchParams(query)
  const zone = searchParams.get('domain')?.toLowerCase() ?? ''
  const host = (searchParams.get('host') ?? '').toLowerCase()
  const isName =
    /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(zone) && /^([a-z0-9_-]+(\.[a-z0-9_-]+)*)?$/.test(host)
  if (!isName) throw new Refused('The link has no valid domain and host.')
  const { syncPubKeyDomain } = template
  const problem =
    syncPubKeyDomain === undefined
      ? undefined
      : await findSignatureProblem(resolver, query, syncPubKeyDomain, peculiarities[provider])
  if (problem !== undefined) throw new Refused(problem)
  const returnTo = returnAddress(searchParams.get('redirect_uri'), template)
  const state = searchParams.get('state') ?? undefined
  /** `code`: of RFC 6749, for the way back. */
  const fail = (code: string, message: string) =>
    new Refused(message, backTo(provider, { returnTo, state }, code))
  if (template.syncBlock) throw fail('unauthorized_client', 'The template is blocked.')
  const domain = domains.find(zone)
  if (!domain || domain.provider !== provider)
    throw fail('access_denied', `${zone} is not in your account.`)
  const { ignoresModes } = peculiarities[provider]
  if (template.hostRequired && host === '' && !ignoresModes)
    throw fail('invalid_request', 'The template needs a host.')
  const groups = searchParams.get('groupId')?.split(',') ?? []
  const groupIds = new Set(template.records.map(({ groupId }) => groupId))
  const unknown = groups.find((group) => !groupIds.has(group))
  if (unknown !== undefined) throw fail('invalid_request', `There is no group ${unknown}.`)
  const variables = [...searchParams].filter(([name]) => !parameters.includes(name))
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
    return { template, zone, fullName, applied, returnTo, state }
  } catch (error) {
    if (error instanceof TemplateError) throw fail('invalid_request', error.message)
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

const pathForm =
  /^\/connect\/(\w+)\/v2\/domainTemplates\/providers\/([\w.-]+)\/services\/([\w.-]+)\/apply$/
const lateSeconds = 60

export function createConnectRoutes(context: ConnectContext) {
  const { connect, domains } = context

  /** Which records come and go, or why there is no page with a button. */
  async function show(body: Body) {
    const link = readLink(body)
    const provider = getProvider(link.provider).title
    try {
      const { applied, fullName, template } = await judgeRequest(context, link)
      return {
        provider,
        platform: template.providerName,
        service: template.serviceName,
        host: fullName,
        adds: applied.added.map(shown),
        deletes: applied.deleted.filter((each) => !isReplacedByItself(each, applied)).map(shown),
      }
    } catch (error) {
      if (error instanceof Refused) return { provider, refused: error.message, back: error.back }
      throw error
    }
  }

  /** Writes in one version of the zone, after judging everything anew. */
  async function confirm(body: Body): Promise<{ back: string | null }> {
    const link = readLink(body)
    const accepted = await judgeRequest(context, link)
    const { confirm: quirk } = connect[link.provider].quirks
    if (quirk !== 'false_success') write(accepted, quirk === 'late' ? lateSeconds : 0)
    if (quirk === 'no_return') return { back: null }
    return {
      back: backTo(link.provider, accepted, quirk === 'false_error' ? 'server_error' : undefined),
    }
  }

  function write({ applied, zone }: Accepted, delaySeconds: number): void {
    const { servers } = domains.describe(zone)
    if (delaySeconds > 0) {
      for (const { name } of servers) domains.changeServer(zone, name, { delay: delaySeconds })
    }
    domains.replaceAll(
      zone,
      applied.zone.flatMap((record) => toEditedRecord(zone, record) ?? []),
    )
  }

  async function cancel(body: Body): Promise<{ back: string | null }> {
    const link = readLink(body)
    try {
      const accepted = await judgeRequest(context, link)
      return { back: backTo(link.provider, accepted, 'access_denied', 'user_cancel: cancelled') }
    } catch (error) {
      if (error instanceof Refused) return { back: null }
      throw error
    }
  }

  return {
    'GET /api/connect': () => describe(),
    'POST /api/connect/show': (_: string[], body: Body) => show(body),
    'POST /api/connect/confirm': (_: string[], body: Body) => confirm(body),
    'POST /api/connect/cancel': (_: string[], body: Body) => cancel(body),
    'PUT /api/connect/*/templates': ([id = '']: string[], body: Body) => {
      const template = readTemplate(body)
      connect[getProvider(id).id].templates.set(templateKey(template), template)
      return describe()
    },
    'PUT /api/connect/*/quirks': ([id = '']: string[], body: Body) => {
      const { quirks } = connect[getProvider(id).id]
      for (const kind of Object.keys(body))
        Object.assign(quirks, {
          [kind]: oneOf(body, kind, connectQuirks[kind as QuirkKind] ?? []),
        })
      domains.republish(id as ProviderId)
      return describe()
    },
  }

  function describe() {
    return {
      kinds: connectQuirks,
      providers: providers.map(({ id, title }) => ({
        ...{ id, title, quirks: connect[id].quirks },
        templates: [...connect[id].templates.keys()],
      })),
    }
  }
}

/** Forgets quirks; templates stay. */
export function resetQuirks({
  connect,
  domains,
}: Pick<ConnectContext, 'connect' | 'domains'>): void {
  for (const { id } of providers) {
    connect[id].quirks = { ...noQuirks }
    domains.republish(id)
  }
}

function readLink({ path, query }: Body): OpenedLink {
  const [, id, providerId = '', serviceId = ''] = pathForm.exec(String(path)) ?? []
  const provider = providers.find((each) => each.id === id)?.id
  if (!provider) throw new RegistrarError(404, 'page_not_found', 'There is no such page.')
  return { provider, providerId, serviceId, query: String(query).replace(/^\?/, '') }
}

function readTemplate({ template }: Body): ConnectTemplate {
  const fields = template as ConnectTemplate
  const isTemplate = typeof fields === 'object' && fields !== null && Array.isArray(fields.records)
  if (isTemplate) return fields
  throw new RegistrarError(422, 'invalid_template', 'This is no template.', 'template')
}

function backTo(
  provider: ProviderId,
  { returnTo, state }: { returnTo: URL | undefined; state: string | undefined },
  error?: string,
  description?: string,
): string | null {
  if (!returnTo) return null
  const url = new URL(returnTo)
  if (error !== undefined) url.searchParams.set('error', error)
  if (description !== undefined) url.searchParams.set('error_description', description)
  if (state !== undefined && !peculiarities[provider].dropsState)
    url.searchParams.set('state', state)
  return url.href
}

const shown = ({ data, name, priority, type }: EngineRecord) => ({
  type,
  name,
  value: priority === undefined ? data : `${priority} ${data}`,
})

/** The record is there already, perhaps with another TTL. */
const isReplacedByItself = (gone: EngineRecord, { added }: { added: EngineRecord[] }): boolean =>
  added.some(
    ({ data, name, type }) => type === gone.type && name === gone.name && data === gone.data,
  )

/**
 * Why the signature of a request is not accepted; undefined when it is. It is verified as a provider does: by the raw query
 * without `key` and `sig`, and the public key in DNS (draft-ietf-dconn-domainconnect, Signature Verification).
 */
async function findSignatureProblem(
  resolver: Resolver,
  rawQuery: string,
  keyDomain: string,
  { needsSignatureLast }: { needsSignatureLast: boolean },
): Promise<string | undefined> {
  const parts = rawQuery.split('&')
  const find = (name: string) => parts.filter((part) => part.startsWith(`${name}=`))
  const [key, ...moreKeys] = find('key')
  const [signature, ...moreSignatures] = find('sig')
  if (key === undefined || signature === undefined) return 'The link is not signed.'
  if (moreKeys.length + moreSignatures.length > 0) return 'The link is signed twice.'
  if (needsSignatureLast && parts.at(-1) !== signature)
    return 'The signature is not at the end of the link.'
  const label = decodeURIComponent(key.slice('key='.length))
  if (!/^[a-z0-9_-]{1,63}$/i.test(label)) return 'The name of the key is invalid.'
  const publicKey = await findPublicKey(resolver, `${label}.${keyDomain}`)
  if (!publicKey) return `There is no valid key at ${label}.${keyDomain}.`
  const signed = parts.filter((part) => part !== key && part !== signature).join('&')
  const bytes = Buffer.from(decodeURIComponent(signature.slice('sig='.length)), 'base64')
  const isValid = verify('RSA-SHA256', Buffer.from(signed), publicKey, bytes)
  return isValid ? undefined : 'The signature does not match: the link was changed.'
}

async function findPublicKey(resolver: Resolver, name: string) {
  const { answers } = await resolver.resolve(name.toLowerCase(), 'TXT')
  const pieces = recordsOfType(answers, 'TXT').flatMap(({ strings }) => {
    const parts = strings.join('').split(',')
    const fields = new Map(
      parts.map((field): [string, string] => {
        const at = field.indexOf('=')
        return [field.slice(0, at).trim(), field.slice(at + 1).trim()]
      }),
    )
    const isSupported = (fields.get('a') ?? 'RS256') === 'RS256'
    return isSupported ? [{ place: Number(fields.get('p')), data: fields.get('d') ?? '' }] : []
  })
  const text = pieces
    .toSorted((a, b) => a.place - b.place)
    .map(({ data }) => data)
    .join('')
  try {
    return createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' })
  } catch {
    return undefined
  }
}

/** A record that the registrar shows, as an engine's. */
function toEngineRecord({ name, ttlSeconds, type, value }: EditedRecord): EngineRecord {
  const plain = value.replace(/\.$/, '')
  const base = { type, name, ttl: ttlSeconds }
  if (type !== 'MX')
    return { ...base, data: ['CNAME', 'NS', 'ALIAS'].includes(type) ? plain : value }
  const [priority, exchange = ''] = plain.split(/\s+/)
  return { ...base, data: exchange, priority: Number(priority) }
}

/** As it would be typed at any provider: with whole names. Undefined for a type that the lab has not. */
function toEditedRecord(
  zone: string,
  { data, name, priority, ttl = 3600, type }: EngineRecord,
): EditedRecord | undefined {
  const editedType = editedTypes.find((each) => each === type)
  if (!editedType) return undefined
  const isName = ['CNAME', 'NS', 'ALIAS', 'MX'].includes(type)
  const target = isName ? `${data.replace(/\.$/, '')}.` : data
  return {
    name: name === '@' ? '@' : `${name}.${zone}.`,
    type: editedType,
    ttlSeconds: ttl,
    value: type === 'MX' ? `${priority} ${target}` : target,
  }
}
