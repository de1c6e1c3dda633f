// Starts peers/raw-node.ts, which sends three responses of the Animal Store.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ServerPlace } from '../harness/context.ts'
import { findFreePort, type HttpResponse } from '../harness/http-client.ts'
import type { Server } from './server.ts'
import { peerCommand, startPeer } from './start-server.ts'
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
  const port = await findFreePort()
  const file = join(place.folder, 'responses.json')
  const responses = Object.entries(recorded).map(([name, { rawHeaders, body }]) => [
    name,
    { headers: withoutAutomaticHeaders(rawHeaders), body },
  ])
  writeFileSync(file, JSON.stringify(Object.fromEntries(responses)))
  return await startPeer({
    ...place,
    label: 'raw node:http',
    command: peerCommand('raw-node.ts'),
    env: { HTTP_PORT: String(port), RESPONSES: file },
    port,
    readyPath: '/v1/pets',
    api: createFixedStoreApi(),
  })
}

/** node:http adds these three to every response. */
function withoutAutomaticHeaders(rawHeaders: string[]): string[] {
  return rawHeaders.filter((_, index) => {
    const name = rawHeaders[index - (index % 2)]?.toLowerCase()
    return !['date', 'connection', 'keep-alive'].includes(name ?? '')
  })
}
