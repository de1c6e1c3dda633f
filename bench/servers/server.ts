// What the harness knows of a server under test: where it is, and how to ask it for each job.

import type { Address } from '../http-client.ts'

export type Engine = 'SQLite' | 'PostgreSQL' | ''

export interface Server extends Address {
  label: string
  engine: Engine
  /** With a name that stands for 127.0.0.1, where that is not what is asked for. */
  origin?: string
  pid: number
  dialect: Dialect
  restBytes: number
  /** The end of what it wrote to its terminal, to say why it failed. */
  lastWords(): string
  stop(): Promise<void>
}

/** The paths of a server's own interface. What is undefined it cannot do, and is left out. */
export interface Dialect {
  /** The first 20 animals. */
  hot: string
  /** Pages of 20 available animals, each another one. */
  coldPaths?(address: Address, count: number): Promise<string[]>
  petPath?(id: number): string
  create?: string
  /** Orders of the animals that were created; an animal can then be patched, too. */
  orders?: string
  /** Highest identifier that can be asked for. */
  petCount: number
  /** The animals in the body of a list. */
  readPets(body: string): Pet[]
}

export interface Pet {
  id: number | string
  name: string
  categoryId: number
  status: string
}
