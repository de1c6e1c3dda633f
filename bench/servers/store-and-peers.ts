// The servers of the sections hot, cold, get, create and mix: the Animal Store on each engine and its
// peers. All run at the same time on the server's core; those not being measured are idle.

import { type BenchContext, createDatabaseFor, createServerPlace } from '../harness/context.ts'
import { sendRequest } from '../harness/http-client.ts'
import type { Peer } from '../harness/options.ts'
import { type RecordedResponses, startBareNode, startRawNode } from './fixed-servers.ts'
import { startNginxList } from './nginx-server.ts'
import { animalStore, type Server } from './server.ts'
import { peerCommand } from './start-server.ts'
import { startStore } from './store-server.ts'

export interface StoreAndPeers {
  /** The Animal Store, one server for each engine. */
  stores: Server[]
  peers: Server[]
  recorded: RecordedResponses
}

const animals = 100_000

export async function startStoreAndPeers(context: BenchContext): Promise<StoreAndPeers> {
  const { options, log } = context
  const createPlace = () => createServerPlace(context)
  const stores: Server[] = []
  for (const engine of options.engines) {
    log(`starting the Animal Store on ${engine}, with ${animals.toLocaleString('en')} animals`)
    stores.push(
      await startStore({
        ...createPlace(),
        label: animalStore,
        command: options.command,
        animals,
        databaseUrl: await createDatabaseFor(context, engine, 'store'),
      }),
    )
  }
  const [first] = stores
  if (!first) throw new Error('no engine was selected')
  const recorded = await recordResponses(first)

  const startPeerStore = (label: string, file: string) =>
    startStore({ ...createPlace(), label, command: peerCommand(file), animals })
  const startFunctions: Record<Peer, () => Promise<Server>> = {
    raw: () => startRawNode(createPlace(), recorded),
    bare: () => startBareNode(createPlace(), recorded),
    nginx: () => startNginxList(createPlace(), recorded.list.body),
    express: () => startPeerStore('Express', 'express-store.ts'),
    hono: () => startPeerStore('Hono', 'hono-store.ts'),
  }
  const peers: Server[] = []
  for (const peer of options.peers) {
    log(`starting ${peer}`)
    peers.push(await startFunctions[peer]())
  }
  return { stores, peers, recorded }
}

export async function stopStoreAndPeers({ stores, peers }: StoreAndPeers): Promise<void> {
  await Promise.all([...stores, ...peers].map((server) => server.stop()))
}

export async function recordResponses(server: Server): Promise<RecordedResponses> {
  const { createPath, listPath, petPath } = server.api
  if (!petPath || !createPath) throw new Error('the server has no API of a store')
  const body = JSON.stringify({ name: 'Captured', categoryId: 7, status: 'sold' })
  return {
    list: await sendRequest(server, listPath),
    pet: await sendRequest(server, petPath(1)),
    created: await sendRequest(server, createPath, { method: 'POST', body }),
  }
}
