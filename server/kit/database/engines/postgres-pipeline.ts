// Statements that are sent together, with one Sync at the end: one round trip. When one fails, the server skips those
// behind it (PostgreSQL, "Pipelining" in the message flow), so that a commit at the end follows only success.
import type pg from 'pg'
import type { Value } from '../query.ts'

export interface PipelinedStatement {
  /** The name of the prepared statement: each connection prepares it once. */
  name: string
  text: string
  values: Value[]
  rowMode?: 'array'
}

export interface PipelinedResult {
  rows: unknown[]
  /** As the server names it, such as `INSERT 0 1`. */
  command: string
}

interface Column {
  name: string
  parse: (text: string) => unknown
}

interface Field {
  name: string
  dataTypeID: number
}

/** What a connection has prepared, with the columns of each statement, which never change. */
interface Prepared {
  columns: Map<string, Column[]>
  names: Set<string>
  /** Sent and not confirmed yet, in order. */
  unconfirmed: string[]
}

const preparedOn = new WeakMap<pg.Connection, Prepared>()

function preparedBy(connection: pg.Connection): Prepared {
  let prepared = preparedOn.get(connection)
  if (!prepared) {
    const names = new Set<string>()
    const unconfirmed: string[] = []
    prepared = { columns: new Map(), names, unconfirmed }
    connection.on('parseComplete', () => {
      const name = unconfirmed.shift()
      if (name !== undefined) names.add(name)
    })
    // What was skipped after an error is not prepared. First of all listeners: the driver's sends the next statements.
    connection.prependListener('readyForQuery', () => {
      unconfirmed.length = 0
    })
    preparedOn.set(connection, prepared)
  }
  return prepared
}

/** A query of the driver's client, which calls its handlers with the server's messages. */
export class Pipeline implements pg.Submittable {
  /** Of the statements that were executed, in order. */
  readonly results: PipelinedResult[] = []
  readonly done: Promise<void>
  callback: (error: Error | null) => void
  #isSubmitted = false
  readonly #statements: readonly PipelinedStatement[]
  readonly #types: pg.CustomTypesConfig
  #prepared: Prepared | undefined
  #columns: Column[] | undefined
  #rows: unknown[] = []
  #parseError: Error | undefined

  constructor(statements: readonly PipelinedStatement[], types: pg.CustomTypesConfig) {
    this.#statements = statements
    this.#types = types
    const { promise, reject, resolve } = Promise.withResolvers<void>()
    this.done = promise
    this.callback = (error) => (error ? reject(error) : resolve())
  }

  /** Whether anything may have reached the server. */
  get isSubmitted(): boolean {
    return this.#isSubmitted
  }

  /** Whether the server has executed all statements but the last one, at least. */
  get hasReachedLast(): boolean {
    return this.results.length >= this.#statements.length - 1
  }

  submit(connection: pg.Connection): void {
    this.#isSubmitted = true
    const prepared = preparedBy(connection)
    this.#prepared = prepared
    connection.stream.cork()
    for (const { name, text, values } of this.#statements) {
      if (!prepared.names.has(name) && !prepared.unconfirmed.includes(name)) {
        connection.parse({ name, text, types: [] }, true)
        prepared.unconfirmed.push(name)
      }
      connection.bind({ statement: name, values: values.map(parameterOf) }, true)
      if (!prepared.columns.has(name)) connection.describe({ type: 'P', name: '' }, true)
      connection.execute({}, true)
    }
    connection.sync()
    connection.stream.uncork()
  }

  handleRowDescription({ fields }: { fields: Field[] }): void {
    this.#columns = fields.map(({ dataTypeID, name }) => ({
      name,
      parse: this.#types.getTypeParser(dataTypeID, 'text'),
    }))
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    const statement = this.#statements[this.results.length] as PipelinedStatement
    const columns = this.#columns ?? this.#prepared?.columns.get(statement.name) ?? []
    try {
      this.#rows.push(rowOf(columns, fields, statement.rowMode))
    } catch (error) {
      this.#parseError ??= error as Error
    }
  }

  handleCommandComplete({ text }: { text: string }): void {
    const { name } = this.#statements[this.results.length] as PipelinedStatement
    const columns = this.#prepared?.columns
    if (columns && !columns.has(name)) columns.set(name, this.#columns ?? [])
    this.results.push({ rows: this.#rows, command: text })
    this.#columns = undefined
    this.#rows = []
  }

  handleReadyForQuery(): void {
    this.callback(this.#parseError ?? null)
  }

  /** By the server, or when the connection is lost or the time is over. */
  handleError(error: Error): void {
    this.callback(error)
  }
}

function rowOf(columns: Column[], fields: (string | null)[], mode: 'array' | undefined): unknown {
  const value = (i: number): unknown => {
    const text = fields[i] as string | null
    return text === null ? null : columns[i]?.parse(text)
  }
  if (mode === 'array') return fields.map((_, i) => value(i))
  const row: Record<string, unknown> = {}
  for (const [i, { name }] of columns.entries()) row[name] = value(i)
  return row
}

function parameterOf(value: Value): Buffer | string | null {
  if (value === null) return null
  if (value instanceof Uint8Array) {
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  }
  return String(value)
}
