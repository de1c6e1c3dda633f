// Starts peers/bare-node.ts, which sends responses of the Animal Store as bytes.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ServerPlace } from '../harness/context.ts'
import { findFreePort, type HttpResponse } from '../harness/http-client.ts'
import type { RecordedResponses } from './raw-node-server.ts'
import type { Server } from './server.ts'
import { peerCommand, startPeer } from './start-server.ts'
import { createFixedStoreApi } from './store-server.ts'

export async function startBareNode(
  place: ServerPlace,
  { created, list, pet }: RecordedResponses,
): Promise<Server> {
  const port = await findFreePort()
  const head = `HTTP/1.1 201 Created\r\n${fieldsOf(created.rawHeaders, 'content-length')}`
  const settings = {
    ...{ list: bytesOf(list), pet: bytesOf(pet), port },
    created: { head, file: join(place.folder, 'bare.db') },
  }
  const file = join(place.folder, 'responses.json')
  writeFileSync(file, JSON.stringify(settings))
  const { ordersPath: _, ...api } = createFixedStoreApi()
  return await startPeer({
    ...place,
    label: 'bare node:net',
    command: peerCommand('bare-node.ts'),
    env: { RESPONSES: file },
    port,
    readyPath: '/',
    api,
  })
}

function bytesOf({ body, rawHeaders }: HttpResponse): string {
  return Buffer.from(`HTTP/1.1 200 OK\r\n${fieldsOf(rawHeaders)}\r\n${body}`).toString('latin1')
}

/** Lines of all fields except one. */
function fieldsOf(rawHeaders: string[], except?: string): string {
  return rawHeaders
    .flatMap((text, i) =>
      i % 2 === 0 && text.toLowerCase() !== except ? [`${text}: ${rawHeaders[i + 1]}\r\n`] : [],
    )
    .join('')
}
