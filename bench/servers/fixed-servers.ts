// Starts the peers that send three responses of the Animal Store: peers/raw-node.ts and peers/bare-node.ts.

import { join } from 'node:path'
import type { ServerPlace } from '../harness/context.ts'
import type { HttpResponse } from '../harness/http-client.ts'
import type { Server } from './server.ts'
import { startPeer } from './start-server.ts'
import { createFixedStoreApi } from './store-server.ts'

/** Responses of the Animal Store, recorded for peers that send them. */
export interface RecordedResponses {
  list: HttpResponse
  pet: HttpResponse
  created: HttpResponse
}

export async function startRawNode(
  place: ServerPlace,
  recorded: RecordedResponses,
): Promise<Server> {
  const responses = Object.entries(recorded).map(([name, { rawHeaders, body }]) => [
    name,
    // node:http adds these to every response.
    { headers: fieldsOf(rawHeaders, 'date', 'connection', 'keep-alive').flat(), body },
  ])
  const settings = Object.fromEntries(responses)
  return await startPeer(place, 'raw node:http', 'raw-node.ts', settings, createFixedStoreApi())
}

export async function startBareNode(
  place: ServerPlace,
  { created, list, pet }: RecordedResponses,
): Promise<Server> {
  const head = `HTTP/1.1 201 Created\r\n${linesOf(created.rawHeaders, 'content-length')}`
  const settings = {
    ...{ list: bytesOf(list), pet: bytesOf(pet) },
    created: { head, file: join(place.folder, 'bare.db') },
  }
  return await startPeer(place, 'bare node:net', 'bare-node.ts', settings, createFixedStoreApi())
}

function bytesOf({ body, rawHeaders }: HttpResponse): string {
  return Buffer.from(`HTTP/1.1 200 OK\r\n${linesOf(rawHeaders)}\r\n${body}`).toString('latin1')
}

function linesOf(rawHeaders: string[], ...except: string[]): string {
  return fieldsOf(rawHeaders, ...except)
    .map((field) => `${field.join(': ')}\r\n`)
    .join('')
}

/** Names and values of all fields but some. */
function fieldsOf(rawHeaders: string[], ...except: string[]): [string, string][] {
  return rawHeaders.flatMap((name, i): [string, string][] =>
    i % 2 === 1 || except.includes(name.toLowerCase()) ? [] : [[name, rawHeaders[i + 1] ?? '']],
  )
}
