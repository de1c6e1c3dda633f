// The whole program with a signed-in operator, and the operator's requests about the store over the management API.
import type { TokenScope } from '#kit/management/caller.ts'
import type { Engine } from '../database.ts'
import {
  expectJson,
  type Person,
  type PersonAsk,
  type PublishingInTest,
  startPublishing,
} from '../publishing/publishing-in-test.ts'
import type { Answer, StartOptions } from '../running-store.ts'

export interface ManagedStore extends PublishingInTest {
  /** Sends a request as the operator, below `/api/store/production`. Every response is compared with the document. */
  manage(path: string, options?: PersonAsk): Promise<Answer>
  /** The body of a response with this status. */
  get<T>(path: string, status?: number): Promise<T>
  send<T>(method: string, path: string, body: unknown, status?: number): Promise<T>
  token(scopes: TokenScope[]): Promise<string>
}

export async function startManaged(
  engine: Engine,
  options: StartOptions = {},
): Promise<ManagedStore> {
  const publishing = await startPublishing(engine, options)
  const { operator } = publishing
  const manage = manager(operator)
  return {
    ...publishing,
    manage,
    get: async <T>(path: string, status = 200) => expectJson(await manage(path), status) as T,
    send: async <T>(method: string, path: string, body: unknown, status = 200) =>
      expectJson(await manage(path, { method, body }), status) as T,
    token: (scopes) => operator.token(scopes),
  }
}

function manager(person: Person): ManagedStore['manage'] {
  return (path, options) =>
    person.ask(path.startsWith('/store/') ? path : `/store/production${path}`, options)
}
