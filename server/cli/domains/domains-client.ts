// The management API for the domains commands: that of a server, or its handlers on the local database.

import { Readable } from 'node:stream'
import type { Caller } from '#kit/caller.ts'
import { systemClock } from '#kit/clock.ts'
import type { Route } from '#kit/management/route.ts'
import { bodyReader } from '#kit/schema/checks.ts'
import { queryReader } from '#kit/schema/query-reader.ts'
import {
  createManagementClient,
  type LooseInput,
  type ManagementClient,
  searchOf,
} from '../../../client/management-client.ts'
import { openDomainOperations } from '../../open-domain-operations.ts'
import type { Input } from '../command-line/command.ts'
import { withPublishing } from '../command-line/local-database.ts'
import { asCommandError, chosenServer } from '../command-line/server-choice.ts'

export type Call = ManagementClient['call']

/** Resolves to what `use` returns. Error responses of the API are thrown as CommandErrors. */
export async function withDomains<T>(
  { options }: Pick<Input, 'options'>,
  use: (call: Call) => Promise<T>,
): Promise<T> {
  try {
    const server = chosenServer(options)
    if (server) {
      const { token, url } = server
      return await use(createManagementClient({ address: url, token }).call)
    }
    return await withPublishing(async (database, config) => {
      const { signal: stopping } = new AbortController()
      const { platformHost } = config
      const context = { clock: systemClock, database, node: undefined, platformHost, stopping }
      const { authorities, routes } = openDomainOperations(config, context)
      try {
        return await use(createLocalManagement(routes).call)
      } finally {
        authorities.stop()
      }
    })
  } catch (error) {
    throw asCommandError(error)
  }
}

/** Users who can change the local database are operators. */
const operator: Caller = {
  account: {
    id: 'operators',
    email: '',
    name: 'Command line',
    role: 'operator',
    plan: 'paid',
    createdAt: 0,
  },
  by: { kind: 'command_line', id: 'command line' },
}

/** Calls the handlers as an operator. Query and body are validated as the server does. Throws the handlers' errors. */
export function createLocalManagement(routes: readonly Route[]): ManagementClient {
  const byName = new Map(routes.map((route) => [route.operation.route as string, route]))
  async function call(name: string, input: LooseInput = {}) {
    const { body, params = {}, query = {}, upload } = input
    const route = byName.get(name)
    if (!route) throw new Error(`${name} needs a server`)
    const { operation } = route
    const call = {
      caller: operator,
      params,
      query: operation.query && queryReader(operation.query)(searchOf(query)),
      body: operation.body && bodyReader(operation.body)(body),
      request: requestWith(upload as Uint8Array | undefined),
      headers: [],
      address: '',
    }
    return await route.handle(call as unknown as Parameters<Route['handle']>[0])
  }
  return { call: call as ManagementClient['call'] }
}

function requestWith(upload: Uint8Array | undefined) {
  if (!upload) return { head: {}, headers: {} }
  const headers = { 'content-length': String(upload.length) }
  return Object.assign(Readable.from([upload], { objectMode: false }), { head: {}, headers })
}
