// A span for each write inside of another span, from its queueing to its commit.
import type { Tracer } from '../tracer.ts'
import type { Database } from './database.ts'

export function traceWrites(database: Database, name: string, tracer: Tracer): Database {
  const system = database.engine === 'sqlite' ? 'sqlite' : 'postgresql'
  const span = {
    name: `write ${name}`,
    kind: 'client',
    attributes: { 'db.system.name': system, 'db.namespace': name },
  } as const
  return {
    ...database,
    // Upkeep outside of any span writes every few seconds: it would be noise.
    write: (work, input) =>
      tracer.isWithin()
        ? tracer.run(span, () => database.write(work, input))
        : database.write(work, input),
  }
}
