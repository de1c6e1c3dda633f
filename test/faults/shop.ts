// A store as its clients see it: requests on persistent connections and reading of all pages. The store may be
// unreachable at times.
import { Agent } from 'node:http'
import { onTestFinished } from 'vitest'
import { readLinkedPages } from '../linked-pages.ts'
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

  create(name: string, idempotencyKey?: string, options: AskOptions = {}): Promise<Answer> {
    const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }
    return this.ask('/pets', { body: this.petNamed(name), headers, ...options })
  }

  /** The body depends only on the name; the statuses alternate. */
  petNamed(name: string): Omit<Pet, 'id'> {
    const number = Number(/\d+$/.exec(name)?.[0] ?? 0)
    return { name, categoryId: number, status: statuses[number % 3] as string }
  }

  /** All pages of a list, on one connection. */
  pages(path: string, relation?: 'next' | 'prev') {
    const agent = this.connection()
    return readLinkedPages((at) => this.ask(at, { agent }), path, relation)
  }

  /** All animals of a list, or other records. */
  async walk<R = Pet>(path: string): Promise<R[]> {
    return (await this.pages(path)).flatMap(({ json }) => json as R[])
  }
}

const statuses = ['available', 'pending', 'sold']
