// The management API, below /api on the host of the dashboard, for sessions and access tokens; and its OpenAPI document. What
// the declaration of an operation says decides who may call it: access, scope, deploy tokens. Whether the caller's account may
// touch a project is decided where the project is read (publishing/projects/).
import { type ApiApp, createApiApp, type Gate } from '../api/api-app.ts'
import type { StreamLimits } from '../api/event-stream.ts'
import { type ApiDescription, openApiDocument } from '../api/openapi.ts'
import type { ApiErrorCode } from '../api/operation.ts'
import { type Caller, deployScope } from '../caller.ts'
import { AppError, errorCodes, managementErrorCodes } from '../errors.ts'
import type { ApiRequest } from '../http/request/request-head.ts'
import type { Logger } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import type { ClientAddresses } from '../network/client-addresses.ts'
import { refuseCrossSite } from './cross-site.ts'
import { managementTags, type Operation, type Route } from './route.ts'

const description = `What the dashboard and the command line do: accounts, projects, deploys, the store and its keys.

Send the cookie of a session, or an access token as \`Authorization: Bearer <TOKEN>\`: a personal one with the scope
of the operation (\`x-token-scope\`), or the deploy token of a project, where the operation accepts them
(\`x-deploy-token\`). Requests from pages of other sites are refused. Every error has the Error body.`

const common: ApiErrorCode[] = [
  'invalid_request',
  'invalid_parameter',
  'not_acceptable',
  'request_timeout',
  'uri_too_long',
  'headers_too_large',
  'internal_error',
  'unavailable',
]
const forAccounts: ApiErrorCode[] = [
  'not_signed_in',
  'invalid_token',
  'insufficient_scope',
  'second_factor_missing',
  'cross_site_request',
]
const forJson: ApiErrorCode[] = ['malformed_json', 'invalid_body']
const forBodies: ApiErrorCode[] = [
  'body_too_large',
  'unsupported_media_type',
  'unsupported_content_encoding',
]

/** The document, as plain JSON. `server` is the address of the API. */
function managementDocument(operations: Operation[], server: string): object {
  return openApiDocument(operations, describeApi(server))
}

const describeApi = (server: string): ApiDescription => ({
  title: 'Animal Store management',
  description,
  contactName: 'The operator of this service',
  servers: [{ url: server }],
  tags: Object.fromEntries(Object.entries(managementTags).sort(([a], [b]) => (a < b ? -1 : 1))),
  securitySchemes: {
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: 'animal-store',
      description: 'Set by signing in. Over HTTPS its name begins with __Host-.',
    },
    accessToken: { type: 'http', scheme: 'bearer', description: 'A personal access token.' },
  },
  securityOf: ({ access, isForDeployTokens, scope }) => ({
    security: access === 'open' ? [] : [{ session: [] }, ...(scope ? [{ accessToken: [] }] : [])],
    ...(scope ? { 'x-token-scope': scope } : {}),
    ...(isForDeployTokens ? { 'x-deploy-token': true } : {}),
    ...(access === 'operator' ? { 'x-operator-only': true } : {}),
  }),
  pathParameters: {
    environment: 'production or staging.',
    slug: 'The slug of the project, or one that it had.',
    number: 'The number of the deploy.',
    image: 'logo or favicon.',
    hash: 'SHA-256 of the content, in lower-case hexadecimal.',
  },
  errors: {
    codes: { ...errorCodes, ...managementErrorCodes },
    common,
    ofChanges: ['outcome_unknown'],
    implied: ({ access, body, upload }) => [
      ...(access === 'open' ? (['cross_site_request'] as const) : forAccounts),
      ...(access === 'operator' ? (['operator_only'] as const) : []),
      ...(body ? forJson : []),
      ...(body || upload ? forBodies : []),
    ],
    conditions: {
      400: 'The request is not valid',
      401: 'Not signed in, or the credentials are not valid',
      403: 'Not allowed',
      404: 'Not found',
      406: 'The client does not accept the media type of the response',
      409: 'Conflict with the current state',
      413: 'The body is too large',
      415: 'The media type of the body is not supported',
      429: 'Too many requests',
    },
  },
})

interface ManagementApp {
  routes: Route[]
  /** The dashboard's address: the API is below it. */
  dashboardUrl: URL
  /** Who sent the request; undefined without credentials. Throws a 401 for credentials that are wrong. */
  authenticate(request: ApiRequest): Promise<Caller | undefined>
  clients: ClientAddresses
  /** Overrides of the usual limits. */
  streamLimits?: Partial<StreamLimits> | undefined
  metrics: Metrics
  log: Logger
}

export const managementPrefix = '/api'

/** No other site can show a response in a frame, load it as a resource, or have it taken for a page. */
const guardHeaders = [
  ...['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ...['X-Frame-Options', 'DENY', 'Cross-Origin-Resource-Policy', 'same-origin'],
]

/** The application of all requests to `/api`. */
export function createManagementApp(app: ManagementApp): ApiApp {
  const { authenticate, dashboardUrl, routes } = app
  const server = new URL(managementPrefix.slice(1), `${dashboardUrl.href.replace(/\/$/, '')}/`)
  const gate: Gate<Caller | undefined> = {
    isFirst: false,
    headersFor: () => guardHeaders,
    async authenticate(request) {
      refuseCrossSite(request, dashboardUrl.origin)
      return await authenticate(request)
    },
    async authorize(_, operation, caller) {
      authorize(operation as Operation, caller)
    },
    streamOwnerOf: (caller) => caller?.account.id ?? '',
  }
  return createApiApp({
    ...app,
    name: 'management',
    prefix: managementPrefix,
    gate,
    document: () =>
      managementDocument(
        routes.map(({ operation }) => operation),
        server.href,
      ),
  })
}

/** Throws the 401 or 403 that keeps the caller from the operation. */
export function authorize(operation: Operation, caller: Caller | undefined): void {
  const { access, isForEnrolment } = operation
  if (access === 'open') return
  if (!caller) {
    throw new AppError(
      'not_signed_in',
      'Sign in, or send an access token as "Authorization: Bearer <TOKEN>".',
      { headers: { 'WWW-Authenticate': 'Bearer realm="animal-store management"' } },
    )
  }
  if (caller.by.kind === 'token') authorizeToken(operation, caller.by)
  if (caller.by.kind === 'session' && caller.by.isRestricted && !isForEnrolment) {
    const message = 'Add a passkey or an authenticator app under Account first.'
    throw new AppError('second_factor_missing', message)
  }
  if (access === 'operator' && caller.account.role !== 'operator')
    throw new AppError('operator_only', 'Only an operator may do this.')
}

function authorizeToken(
  { isForDeployTokens, scope }: Operation,
  { projectId, scopes }: Extract<Caller['by'], { kind: 'token' }>,
): void {
  const isDeployToken = projectId !== undefined || scopes.has(deployScope)
  const isAllowed = isDeployToken
    ? isForDeployTokens && projectId !== undefined && scopes.has(deployScope)
    : scope && scopes.has(scope)
  if (isAllowed) return
  const message = !scope
    ? 'Access tokens cannot do this. Sign in.'
    : isDeployToken
      ? `This deploy token lacks the scope ${scope}: it can only deploy to its project, manage its previews and read both.`
      : `This access token lacks the scope ${scope}.`
  throw new AppError('insufficient_scope', message)
}
