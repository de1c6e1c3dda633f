// What the jobs know about a running server: its address, its process and the paths of its API.

import type { ServerAddress } from '../harness/http-client.ts'
import type { Pet } from '../seed/seed-animals.ts'

/** Empty for a server that stores nothing in SQLite or PostgreSQL. */
export type Engine = 'SQLite' | 'PostgreSQL' | ''

/** The label of the program under test; peers have other labels. */
export const animalStore = 'Animal Store'

export interface Server extends ServerAddress {
  label: string
  engine: Engine
  /** Default: `http://127.0.0.1:PORT`. Its host may be any name: the load generator resolves it to 127.0.0.1. */
  origin?: string
  pid: number
  /** From the start of the process to its first answer. */
  startMs: number
  api: StoreApi
  /** Resident memory before the first request. */
  restingBytes: number
  /** The end of the server's output, to explain a failure. */
  readLog(): string
  stop(): Promise<void>
}

/** The paths of a store's API. A job that needs an undefined one skips the server. */
export interface StoreApi {
  /** A list of the first 20 animals. */
  listPath: string
  /** Paths of lists of 20 available animals, all different. */
  findColdPaths?(address: ServerAddress, count: number): Promise<string[]>
  petPath?(id: number): string
  createPath?: string
  /** If defined, animals can also be patched. */
  ordersPath?: string
  /** The highest identifier of the animals that were there at the start. */
  maxPetId: number
  /** Parses the body of a list. */
  parseList(body: string): Pet[]
}

/** A server that serves one page over HTTPS and, on another port, over HTTP. */
export interface TlsServer extends Server {
  httpsPort: number
  /** Each has a certificate and serves the page. The names cannot be resolved. */
  hosts: string[]
  /** The path of the page. */
  path: string
}
