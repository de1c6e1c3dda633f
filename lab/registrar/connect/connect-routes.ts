// What the consent page and the people of the lab ask the registrar: to show a request, to confirm or cancel it, to take
// on a template, to switch a quirk.
import type { ConnectTemplate } from '#optional/domain-connect/templates/connect-template.ts'
import { lintTemplate } from '#optional/domain-connect/templates/lint-template.ts'
import { type ProviderId, providers } from '../../network/topology.ts'
import { RegistrarError } from '../registrar-error.ts'
import {
  connectQuirks,
  noQuirks,
  type ProviderConnect,
  peculiarities,
  type QuirkKind,
  templateKey,
} from './connect-state.ts'
import {
  type Accepted,
  type ConnectContext,
  judgeRequest,
  type OpenedLink,
} from './judge-request.ts'
import type { EngineRecord } from './template-engine/engine-records.ts'
import { toEditedRecord } from './zone-records.ts'

type Body = Record<string, unknown>

const pathForm =
  /^\/connect\/(\w+)\/v2\/domainTemplates\/providers\/([\w.-]+)\/services\/([\w.-]+)\/apply$/
const lateSeconds = 60

export function createConnectRoutes(context: ConnectContext) {
  const { connect, domains } = context

  /** Which records come and go, or why there is no page with a button. */
  async function show(body: Body) {
    const link = readLink(body)
    const judged = await judgeRequest(context, link)
    const title = providers.find(({ id }) => id === link.provider)?.title
    if ('refused' in judged) {
      const { refused, returnTo, state } = judged
      const { code, message } = refused
      const back =
        returnTo && code !== undefined ? backTo(link.provider, { returnTo, state }, code) : null
      return { provider: title, refused: message, back }
    }
    const { applied, fullName, template } = judged.ok
    return {
      provider: title,
      platform: template.providerName,
      service: template.serviceName,
      host: fullName,
      adds: applied.added.map(shown),
      deletes: applied.deleted.filter((each) => !isReplacedByItself(each, applied)).map(shown),
    }
  }

  /** Writes in one version of the zone, after judging everything anew. */
  async function confirm(body: Body): Promise<{ back: string | null }> {
    const link = readLink(body)
    const judged = await judgeRequest(context, link)
    if ('refused' in judged) throw new RegistrarError(409, 'refused', judged.refused.message)
    const { confirm: quirk } = connect[link.provider].quirks
    if (quirk !== 'false_success') write(judged.ok, quirk === 'late' ? lateSeconds : 0)
    if (quirk === 'no_return') return { back: null }
    return {
      back: backTo(link.provider, judged.ok, quirk === 'false_error' ? 'server_error' : undefined),
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
    const judged = await judgeRequest(context, link)
    if ('refused' in judged) return { back: null }
    return { back: backTo(link.provider, judged.ok, 'access_denied', 'user_cancel: cancelled') }
  }

  return {
    'GET /api/connect': () => describe(),
    'POST /api/connect/show': (_: string[], body: Body) => show(body),
    'POST /api/connect/confirm': (_: string[], body: Body) => confirm(body),
    'POST /api/connect/cancel': (_: string[], body: Body) => cancel(body),
    'PUT /api/connect/*/templates': ([id = '']: string[], body: Body) => {
      const template = readTemplate(body)
      find(id).templates.set(templateKey(template), template)
      return describe()
    },
    'PUT /api/connect/*/quirks': ([id = '']: string[], body: Body) => {
      const { quirks } = find(id)
      for (const [kind, value] of Object.entries(body)) {
        const known = connectQuirks[kind as QuirkKind] as readonly string[] | undefined
        if (!known?.includes(String(value)))
          throw new RegistrarError(
            422,
            'invalid_body',
            `${kind} is one of ${known?.join(', ')}.`,
            kind,
          )
        Object.assign(quirks, { [kind]: value })
      }
      domains.republish(id as ProviderId)
      return describe()
    },
  }

  function find(id: string): ProviderConnect {
    const found = providers.find((provider) => provider.id === id)
    if (found) return connect[found.id]
    throw new RegistrarError(404, 'provider_not_found', 'There is no such provider.')
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
  const given = template as ConnectTemplate
  const isTemplate = typeof given === 'object' && given !== null && Array.isArray(given.records)
  const [problem] = isTemplate ? lintTemplate(given).filter(({ level }) => level === 'error') : []
  if (isTemplate && !problem) return given
  const message = problem ? `${problem.code}: ${problem.message}` : 'This is no template.'
  throw new RegistrarError(422, 'invalid_template', message, 'template')
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
