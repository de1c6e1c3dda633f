// The servers of the jobs hot, cold, get, create, mix and memory: ours on each engine and the peers,
// all running at once on the server's core, each idle while another has its turn.

import { mkdirSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import type { Cores } from './cores.ts'
import { ask } from './http-client.ts'
import type { Options, Peer } from './options.ts'
import { startJsonServer } from './servers/json-server.ts'
import { startNginx } from './servers/nginx-server.ts'
import { nodeCommand, peerFile } from './servers/peer-command-lines.ts'
import { startPrism } from './servers/prism-server.ts'
import { type CapturedAnswers, startRawNode } from './servers/raw-node-server.ts'
import type { Server } from './servers/server.ts'
import type { ServerPlace } from './servers/start-server.ts'
import { startStore } from './servers/store-server.ts'
import type { ThrowawayPostgres } from './throwaway-postgres.ts'

export interface Surroundings {
  options: Options
  cores: Cores
  /** A temporary folder that is removed at the end. */
  folder: string
  postgres: ThrowawayPostgres | undefined
  say(line: string): void
}

export interface Fleet {
  /** Ours, on one or both engines. */
  ours: Server[]
  peers: Server[]
  captured: CapturedAnswers
}

const animals = 100_000

export async function startFleet(surroundings: Surroundings): Promise<Fleet> {
  const { options, cores, postgres, say } = surroundings
  const place = (): ServerPlace => newPlace(surroundings, cores.server)
  const ours: Server[] = []
  for (const engine of options.engines) {
    say(`starting ours on ${engine}, with ${animals.toLocaleString('en')} animals`)
    const databaseUrl = engine === 'postgresql' ? postgres?.createDatabase('fleet') : undefined
    ours.push(
      await startStore({
        ...place(),
        label: 'ours',
        command: options.ours,
        animals,
        databaseUrl,
      }),
    )
  }
  const [first] = ours
  if (!first) throw new Error('no engine was chosen')
  const captured = await capture(first)

  const store = (label: string, file: string) =>
    startStore({ ...place(), label, command: nodeCommand(peerFile(file)), animals })
  const start: Partial<Record<Peer, () => Promise<Server>>> = {
    raw: () => startRawNode(place(), captured),
    nginx: () => startNginx(place(), captured.list.body),
    express: () => store('Express', 'express-store.ts'),
    hono: () => store('Hono', 'hono-store.ts'),
    'json-server': () => startJsonServer(place()),
    prism: () => startPrism(place(), captured),
  }
  const peers: Server[] = []
  for (const peer of options.peers) {
    const startIt = start[peer]
    if (!startIt) continue
    say(`starting ${peer}`)
    peers.push(await startIt())
  }
  return { ours, peers, captured }
}

export async function stopFleet({ ours, peers }: Fleet): Promise<void> {
  await Promise.all([...ours, ...peers].map((server) => server.stop()))
}

export function newPlace({ folder }: Surroundings, cores: string | undefined): ServerPlace {
  mkdirSync(folder, { recursive: true })
  return { folder: mkdtempSync(join(folder, 'server-')), cores }
}

async function capture(server: Server): Promise<CapturedAnswers> {
  const { hot, petPath, create } = server.dialect
  if (!petPath || !create) throw new Error('the server under test lacks an operation')
  const body = JSON.stringify({ name: 'Captured', categoryId: 7, status: 'sold' })
  return {
    list: await ask(server, hot),
    pet: await ask(server, petPath(1)),
    created: await ask(server, create, { method: 'POST', body }),
  }
}
