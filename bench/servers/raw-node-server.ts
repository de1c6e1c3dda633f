// peers/raw-node.ts, with the bytes of three answers of our own to replay.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Answer, findFreePort } from '../http-client.ts'
import { nodeCommand, peerFile } from './peer-command-lines.ts'
import type { Server } from './server.ts'
import { readRestBytes, type ServerPlace, startServer } from './start-server.ts'
import { storeDialect } from './store-server.ts'

export interface CapturedAnswers {
  list: Answer
  pet: Answer
  created: Answer
}

export async function startRawNode(place: ServerPlace, captured: CapturedAnswers): Promise<Server> {
  const port = await findFreePort()
  const answersFile = join(place.folder, 'answers.json')
  const answers = Object.entries(captured).map(([name, { rawHeaders, body }]) => [
    name,
    { headers: withoutConnection(rawHeaders), body },
  ])
  writeFileSync(answersFile, JSON.stringify(Object.fromEntries(answers)))
  const address = { port, headers: {} }
  const started = await startServer({
    ...place,
    label: 'raw node:http',
    command: nodeCommand(peerFile('raw-node.ts')),
    env: { HTTP_PORT: String(port), ANSWERS: answersFile },
    address,
    readyPath: '/v1/pets',
  })
  return {
    label: 'raw node:http',
    engine: '',
    ...address,
    pid: started.pid,
    dialect: {
      ...storeDialect(100_000),
      coldPaths: async (_address, count) =>
        Array.from({ length: count }, (_, n) => `/v1/pets?limit=20&status=available&cursor=${n}`),
    },
    restBytes: await readRestBytes(started.pid),
    stop: () => started.stop(),
    lastWords: () => started.lastWords(),
  }
}

/** node:http adds these three itself, as it does to our answers. */
function withoutConnection(rawHeaders: string[]): string[] {
  return rawHeaders.filter((_, index) => {
    const name = rawHeaders[index - (index % 2)]?.toLowerCase()
    return !['date', 'connection', 'keep-alive'].includes(name ?? '')
  })
}
