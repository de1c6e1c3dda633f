// An operation of the management API, declared once together with its handler. The declaration validates requests,
// types the handler and the client, and makes the OpenAPI document. It is a constant, so that none of these needs a
// database: what a handler needs of the process is its second argument, which `bindRoutes` gives.
import type { Static, TSchema } from 'typebox'
import type { Download } from '../api/download.ts'
import type { EventFeed } from '../api/event-stream.ts'
import type {
  Address,
  ApiCall,
  Operation as ApiOperation,
  ApiRoute,
  BodyOf,
  ParamsOf,
  QueryOf,
} from '../api/operation.ts'
import { type AuditOrigin, originOf } from '../audit/record-audit.ts'
import type { Caller, TokenScope } from '../caller.ts'
import type { Clock } from '../clock.ts'

export const managementTags = {
  session: 'Signing in and out, and one-time links.',
  account: "The caller's own account: profile, password, sessions, access tokens.",
  members: 'For operators: accounts, plans and invitations.',
  'audit-log': 'For operators: who changed what.',
  projects: 'Documentation projects.',
  deploys: 'The published versions of a project.',
  domains: 'Custom domains: their DNS records, checks and certificates.',
  store: 'For operators: the environments of the store and their counts.',
  animals: 'For operators: the animals of an environment.',
  categories: 'For operators: the categories of an environment.',
  orders: 'For operators: the orders of an environment.',
  'api-keys': "For operators: the keys of the store's API.",
  webhooks: 'For operators: where the events of an environment are sent.',
  system: 'For operators: the state of the program.',
} as const

type ManagementTag = keyof typeof managementTags

export interface Operation extends ApiOperation {
  tag: ManagementTag
  /** Everybody, any account that is signed in, or an operator. */
  access: 'open' | 'account' | 'operator'
  /** A session without a required second factor may call it, too. */
  isForEnrolment?: true
  /** What an access token needs. Without it only a session can call the operation. */
  scope?: TokenScope
  /** A deploy token can call it, too, for its project: declare it with `projectRoutesOf`. */
  isForDeployTokens?: true
}

/** What a handler gives. */
type OutcomeOf<O> = O extends { events: infer Events extends TSchema }
  ? EventFeed<Static<Events>, Caller>
  : O extends { download: object }
    ? Download
    : O extends { returns: infer Returns extends TSchema }
      ? Static<Returns>
      : // biome-ignore lint/suspicious/noConfusingVoidType: what a handler without a response gives.
        void

/** What the management application mounts. */
export interface Route extends ApiRoute<Caller | undefined> {
  operation: Operation
}

/** A declared operation and its handler. `T` holds the types that its declaration gives. */
export interface Endpoint<Context = never, T extends Types = Types> {
  operation: Operation & T
  /** Gives the response's body, download or events. */
  handle: (call: never, context: Context) => Promise<unknown>
}

/** Gives the handlers what they need of the process, and `origin`: by whom and when a change is requested. */
export function bindRoutes<Context extends { clock: Clock }>(
  endpoints: readonly Endpoint<NoInfer<Context>>[],
  context: Context,
): Route[] {
  return endpoints.map(({ handle, operation }) => ({
    operation,
    handle: ({ address, caller, ...call }) => {
      const origin = caller && originOf({ address, caller }, context.clock())
      return handle({ ...call, address, caller, origin } as never, context)
    },
  }))
}

type Access = Operation['access']
export type Schema = TSchema | undefined

/** What the handler and the client know of an operation. */
export interface Types {
  route: Address
  query?: Schema
  body?: Schema
  returns?: Schema
  download?: Record<string, TSchema> | undefined
  events?: Schema
  upload?: Operation['upload']
}

/** What the operations of a file share. `Own` is what each of them declares for it. */
interface Common<Context, A extends Access, Own, Extra> extends Pick<Operation, 'tag'> {
  access: A
  /** Their own errors follow these. */
  errors?: Operation['errors'] | ((own: Own) => Operation['errors'])
  /** Gives the handlers what each of them would look up first. It refuses requests as a handler does. */
  prepare?: (call: ApiCall<Caller>, context: Context, own: Own) => Promise<Extra>
}

type Rest = Omit<Operation, 'operationId' | 'tag' | 'access' | 'status' | 'errors' | keyof Types> &
  Partial<Pick<Operation, 'status' | 'errors'>>

/**
 * Makes the function by which a feature declares its operations, each by its route, its operation id and the rest. The
 * status is 200, or 204 for an operation whose handler returns nothing.
 */
export function routesOf<
  Context,
  A extends Access = 'account' | 'operator',
  Own extends object = object,
  Extra extends object = object,
>({ prepare, ...common }: Common<Context, A, Own, Extra>) {
  return <
    R extends Address,
    Query extends Schema = undefined,
    Body extends Schema = undefined,
    Returns extends Schema = undefined,
    File extends Types['download'] = undefined,
    Events extends Schema = undefined,
    Upload extends Types['upload'] = undefined,
  >(
    route: R,
    operationId: string,
    declaration: Rest &
      Own & {
        query?: Query
        body?: Body
        returns?: Returns
        download?: File
        events?: Events
        upload?: Upload
        handle(
          call: Omit<
            ApiCall<A extends 'open' ? Caller | undefined : Caller>,
            'params' | 'query' | 'body'
          > & {
            params: ParamsOf<{ route: R }>
            query: QueryOf<{ query: Query }>
            body: BodyOf<{ body: Body }>
            origin: A extends 'open' ? AuditOrigin | undefined : AuditOrigin
          } & Extra,
          context: Context,
        ): Promise<OutcomeOf<{ returns: Returns; download: File; events: Events }>>
      },
  ): Endpoint<
    Context,
    {
      route: R
      query: Query
      body: Body
      returns: Returns
      download: File
      events: Events
      upload: Upload
    }
  > => {
    const { handle, ...own } = declaration
    const status = own.returns || own.download || own.events ? 200 : 204
    const { errors: shared = [] } = common
    const implied = typeof shared === 'function' ? shared(declaration) : shared
    const errors = [...implied, ...(own.errors ?? [])]
    const operation = { status, ...common, ...own, route, operationId, errors }
    if (!prepare) return { operation, handle } as never
    const prepared = async (call: Parameters<typeof handle>[0], context: Context) =>
      await handle({ ...call, ...(await prepare(call as never, context, declaration)) }, context)
    return { operation, handle: prepared } as never
  }
}
