// A proxy before PostgreSQL that reads the messages of clients, and cuts, delays or drops those of a transaction that
// the test chooses by a text in its parameters. It passes everything else. What a client sends in one round trip passes
// together.
import type { Socket } from 'node:net'
import { createFlightReader, type DatabaseProxy, startDatabaseProxy } from '../postgres-messages.ts'

/**
 * When: at the transaction's first statements with the text, at the response to them, at the statements that are sent
 * with its commit, or at the response to these.
 */
export type Moment = 'statement' | 'answer' | 'commit' | 'committed'

export interface CommitFault {
  at: Moment
  /** `cut`: both connections are closed. `hold`: nothing passes in either direction until it is released. */
  action: 'cut' | 'hold'
  /** On connections to this schema only. */
  schema?: string
}

export interface PostgresProxy extends DatabaseProxy {
  /**
   * The next transaction that has the text in a parameter gets the fault. Resolves when it has. `release` passes what is
   * held, also if the client has hung up.
   */
  inject(text: string, fault: CommitFault): { reached: Promise<void>; release(): void }
}

interface Injected extends CommitFault {
  text: string
  reach: () => void
  onRelease: (pass: () => void) => void
}

export async function startPostgresProxy(databaseUrl: string): Promise<PostgresProxy> {
  const faults = new Set<Injected>()
  const proxy = await startDatabaseProxy(databaseUrl, (client, upstream) => {
    let fault: Injected | undefined
    let isHeld = false
    const read = createFlightReader()
    let startup: string | undefined
    const held: [Socket, Buffer][] = []
    const pass = (to: Socket, bytes: Buffer): void => {
      if (isHeld) held.push([to, bytes])
      else if (!to.destroyed) to.write(bytes)
    }
    const end = (): void => {
      client.destroy()
      upstream.destroy()
    }
    const strike = (): void => {
      const { action, onRelease, reach } = fault as Injected
      fault = undefined
      if (action === 'cut') end()
      else {
        isHeld = true
        onRelease(() => {
          isHeld = false
          for (const [to, bytes] of held.splice(0)) pass(to, bytes)
          if (client.destroyed) upstream.end()
        })
      }
      reach()
    }
    // What is held may still pass.
    client.once('close', () => {
      if (!isHeld) upstream.end()
    })
    upstream.once('close', () => {
      if (!isHeld) client.destroy()
    })

    client.on('data', (bytes: Buffer) => {
      for (const messages of read(bytes)) {
        const flight = Buffer.concat(messages.map((message) => message.bytes))
        startup ??= flight.toString()
        if (client.destroyed) return
        for (const each of faults) {
          const isOfSchema = startup.includes(`animal-store ${each.schema ?? ''}`)
          if (!isOfSchema || !flight.includes(each.text)) continue
          faults.delete(each)
          fault = each
        }
        // The name of the prepared statement, or the end of a query.
        const isCommit = flight.includes('\0commit\0') || /commit\0$/i.test(flight.toString())
        if (fault?.at === 'statement' || (isCommit && fault?.at === 'commit')) strike()
        isLastSent = isCommit || fault?.at === 'answer'
        pass(upstream, flight)
      }
    })
    let isLastSent = false
    upstream.on('data', (bytes: Buffer) => {
      if (isLastSent && (fault?.at === 'answer' || fault?.at === 'committed')) strike()
      if (!client.destroyed || isHeld) pass(client, bytes)
    })
  })
  return {
    ...proxy,
    inject(text, fault) {
      const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
      let release = (): void => {}
      faults.add({
        ...fault,
        text,
        reach,
        onRelease(passHeld) {
          release = passHeld
        },
      })
      return { reached, release: () => release() }
    },
  }
}
