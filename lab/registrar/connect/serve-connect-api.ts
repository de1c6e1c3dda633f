// The interface of both providers for platforms: settings of a zone, and whether a template is known. HTTPS with a
// certificate of the lab's root; the host says which provider is asked.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Provider, type ProviderId, providers } from '../../network/topology.ts'
import { issueForLab, listenHttps, type WebServer } from '../../web/web-servers.ts'
import type { Domains } from '../domains.ts'
import { type ConnectState, connectHost, templateKey } from './connect-state.ts'

interface ConnectApiContext {
  connect: ConnectState
  domains: Domains
  /** Of the consent pages, such as `http://127.0.0.1:8090`. */
  consentOrigin(): string
}

/** `root`: of its certificate, PEM. */
export async function serveConnectApi(
  { address, port }: { address: string; port: number },
  context: ConnectApiContext,
): Promise<WebServer & { root: string }> {
  const certificate = await issueForLab(providers.map(({ id }) => connectHost(id)))
  const server = await listenHttps(address, port, certificate, (request, response) =>
    answer(request, response, port, context),
  )
  return { ...server, root: certificate.root }
}

function answer(
  { headers, url = '/' }: IncomingMessage,
  response: ServerResponse,
  port: number,
  context: ConnectApiContext,
): void {
  const host = (headers.host ?? '').replace(/:\d+$/, '')
  const provider = providers.find(({ id }) => connectHost(id) === host)
  const { pathname } = new URL(url, 'https://connect')
  const [, zone] = /^\/v2\/([\w.%-]+)\/settings$/.exec(pathname) ?? []
  const [, providerId = '', serviceId = ''] =
    /^\/v2\/domainTemplates\/providers\/([\w.-]+)\/services\/([\w.-]+)$/.exec(pathname) ?? []
  if (provider && zone !== undefined)
    sendSettings(response, provider, decodeURIComponent(zone), port, context)
  else if (provider && providerId !== '') {
    sendTemplate(response, provider.id, templateKey({ providerId, serviceId }), context)
  } else send(response, 404, {})
}

function sendSettings(
  response: ServerResponse,
  { id, servers, title }: Provider,
  zone: string,
  port: number,
  { connect, consentOrigin, domains }: ConnectApiContext,
): void {
  const quirk = connect[id].quirks.settings
  const domain = domains.find(zone)
  if (!domain || domain.provider !== id || quirk === 'not_found')
    return void send(response, 404, {})
  // Never answered: the client has a time limit.
  if (quirk === 'slow') return
  const own = `https://${connectHost(id)}:${port}`
  if (quirk === 'error') return void send(response, 500, {})
  if (quirk === 'huge') return void send(response, 200, { providerId: 'x'.repeat(1024 * 1024) })
  if (quirk === 'redirect')
    return void response.writeHead(302, { Location: `${own}/elsewhere` }).end()
  if (quirk === 'not_json')
    return void response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>Maintenance</h1>')
  const consent =
    quirk === 'other_site'
      ? 'https://sign-in.example.net/connect'
      : `${consentOrigin()}/connect/${id}`
  send(response, 200, {
    providerId: connectHost(id),
    providerName: title,
    ...(quirk !== 'no_consent_page' && { urlSyncUX: consent }),
    urlAPI: quirk === 'private_address' ? `https://10.0.0.1:${port}` : own,
    urlControlPanel: 'https://connect.example.net/zones/%domain%',
    nameServers: quirk === 'other_servers' ? ['ns1.elsewhere.example'] : servers,
    ...(quirk === 'must_understand' && { crit: ['futureFeature'] }),
    width: 750,
    height: 750,
  })
}

function sendTemplate(
  response: ServerResponse,
  id: ProviderId,
  key: string,
  { connect }: ConnectApiContext,
): void {
  const { quirks, templates } = connect[id]
  const template = templates.get(key)
  if (quirks.template === 'error') return void send(response, 503, {})
  if (!template || quirks.template === 'unknown') return void send(response, 404, {})
  send(response, 200, { version: quirks.template === 'old' ? 0 : template.version })
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
}
