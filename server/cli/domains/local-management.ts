// The management API without a server: its handlers on this machine's own database, as an operator. Called
// as the client of a server is, so that a command works the same on both.
import type { ManagementClient } from '../../../client/management-client.ts'
import type { Caller } from '../../platform/management/caller.ts'
import type { Call, Route } from '../../platform/management/route.ts'
import { bodyReader } from '../../platform/schema/checks.ts'

/** Who may change this machine's database is an operator to it. */
const operator: Caller = {
  account: {
    id: 'operators',
    email: '',
    name: 'Command line',
    role: 'operator',
    plan: 'paid',
    createdAt: 0,
  },
  by: { kind: 'session', id: 'command line' },
}

interface LooseInput {
  params?: Record<string, string>
  query?: Record<string, unknown>
  body?: unknown
}

/** For operations whose bodies are JSON; they are held against their schemas. Throws what the handlers throw. */
export function createLocalManagement(routes: readonly Route[]): ManagementClient {
  const byName = new Map(routes.map((route) => [route.operation.route as string, route]))
  async function call(name: string, { body, params = {}, query = {} }: LooseInput = {}) {
    const route = byName.get(name)
    if (!route) throw new Error(`${name} needs a server`)
    const read = route.operation.body && bodyReader(route.operation.body)
    const call = {
      caller: operator,
      params,
      query,
      body: read ? read(body) : undefined,
      request: { head: {}, headers: {} },
      headers: [],
      address: '',
    }
    return await route.handle(call as unknown as Call)
  }
  return { call: call as ManagementClient['call'] }
}
