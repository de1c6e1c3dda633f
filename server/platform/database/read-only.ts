// Read-only mode of a database: one durable row, which every write reads in its transaction before it changes anything.
// So when the row is committed, no later write commits, of whichever process; reads go on. Rate limits and what the
// program remembers of itself, in the database of limits, are written meanwhile.
import { AppError } from '../errors.ts'

/** `paused`: for a while. `moved`: the data is elsewhere, and the program does not start here. */
export type ReadOnlyState = 'paused' | 'moved'

export interface ReadOnlyMode {
  state: ReadOnlyState
  /** Where the data is moved to, for operators: such as `PostgreSQL at db.internal:5432/store`. */
  target: string
  /** When it is expected to end: milliseconds since the epoch. */
  until: number | null
}

/** Beside the table of migrations: no part of backups and copies. At most one row. */
export const createReadOnlyTable = `create table if not exists read_only
  (id int not null primary key check (id = 1), state text not null, target text not null, until bigint)`

export const readMode = 'select state, target, until from read_only'

/** The mode from the rows of `readMode`. */
export function modeOf(rows: readonly unknown[]): ReadOnlyMode | undefined {
  const [row] = rows
  if (row === undefined) return undefined
  // Written by setReadOnly.
  const { target, state, until } = row as { target: string; state: string; until: bigint | null }
  return {
    state: state === 'moved' ? 'moved' : 'paused',
    target,
    until: until === null ? null : Number(until),
  }
}

/** A write was refused because of the mode: a 503, nothing was changed. */
export class ReadOnlyModeError extends AppError {
  readonly mode: ReadOnlyMode

  constructor(mode: ReadOnlyMode, now: number) {
    const { target, until } = mode
    const seconds = until === null ? defaultRetrySeconds : Math.ceil((until - now) / 1000)
    const retryAfter = Math.min(maxRetrySeconds, Math.max(1, seconds))
    super('unavailable', message, {
      cause: `read-only mode: the data is moved to ${target}`,
      headers: { 'Retry-After': String(retryAfter) },
    })
    this.mode = mode
  }
}

const message = 'The service is read-only for a moment. Nothing was changed. Try again later.'
const defaultRetrySeconds = 5
const maxRetrySeconds = 60

/** Throws a ReadOnlyModeError if `rows`, of `readMode`, say that nothing may be written. */
export function refuseWrites(rows: readonly unknown[]): void {
  const mode = modeOf(rows)
  if (mode) throw new ReadOnlyModeError(mode, Date.now())
}

/** Why the program does not start on a database that is read-only. */
export function refusalToStart(name: string, { target, state }: ReadOnlyMode): string {
  return state === 'moved'
    ? `The database ${name} was moved to ${target}: set DATABASE_URL to it. To serve the old database again, without what was written since, run animal-store read-only off.`
    : `The database ${name} is read-only: it is being moved to ${target}. Wait until that has ended. If it was interrupted, run it again, or run animal-store read-only off.`
}
