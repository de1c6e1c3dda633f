// A store as its clients see it: requests on persistent connections and reading of all pages. The store may be
// unreachable at times.
import { Agent } from 'node:http'
import { onTestFinished } from 'vitest'
import { type Answer, type AskOptions, ask } from '../running-store.ts'

export interface Pet {
  id: number
  name: string
  categoryId: number
  status: string
}

export class Shop {
  readonly port: number
  readonly key: string
  readonly #agents: Agent[] = []

  constructor(port: number, key: string | undefined) {
    this.port = port
    this.key = key ?? ''
    onTestFinished(() => {
      for (const agent of this.#agents) agent.destroy()
    })
  }

  /** A persistent connection, which is opened again when it is lost. */
  connection(): Agent {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    this.#agents.push(agent)
    return agent
  }

  /** `/v1` is prepended to the path. Rejects if the connection breaks or there is no response for 30 seconds. */
  ask(path: string, options: AskOptions = {}): Promise<Answer> {
    const base = new URL(`http://localhost:${this.port}/v1`)
    return ask(this.port, base, this.key, path, { timeoutMs: 30_000, ...options })
  }

  /** A path outside the API, such as `/readyz`. */
  async askServer(path: string, options: AskOptions = {}): Promise<Answer> {
    const base = new URL(`http://localhost:${this.port}`)
    return await ask(this.port, base, '', path.slice(1), {
      key: null,
      timeoutMs: 30_000,
      ...options,
    })
  }

  create(name: string, idempotencyKey?: string, options: AskOptions = {}): Promise<Answer> {
    const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }
    return this.ask('/pets', { body: this.petNamed(name), headers, ...options })
  }

  /** The body depends only on the name; the statuses alternate. */
  petNamed(name: string): Omit<Pet, 'id'> {
    const number = Number(/\d+$/.exec(name)?.[0] ?? 0)
    return { name, categoryId: number, status: statuses[number % 3] as string }
  }

  /**
   * Follows the links of one relation from `path` and returns all animals, or other records. Calls `onPage` with the
   * path of each page.
   */
  async walk<R = Pet>(
    path: string,
    relation: 'next' | 'prev' = 'next',
    onPage: (path: string) => void = () => {},
  ): Promise<R[]> {
    const agent = this.connection()
    const pages: R[][] = []
    for (let at: string | undefined = path; at !== undefined; ) {
      const response: Answer = await this.ask(at, { agent })
      if (response.status !== 200) throw new Error(`${at}: ${response.status} ${response.text}`)
      const records = response.json as R[]
      onPage(at)
      pages.push(records)
      at = linkOf(response, relation)
    }
    return (relation === 'next' ? pages : pages.reverse()).flat()
  }
}

/** The path of a link below the base URL. */
export function linkOf(response: Answer, relation: string): string | undefined {
  const target = new RegExp(`<([^>]*)>; rel="${relation}"`).exec(response.headers.link ?? '')?.[1]
  return target?.replace(/^.*\/v1\//, '/')
}

const statuses = ['available', 'pending', 'sold']
