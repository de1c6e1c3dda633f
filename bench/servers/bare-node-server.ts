// Starts peers/bare-node.ts, which sends responses of the Animal Store as bytes.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ServerPlace } from '../harness/context.ts'
import { findFreePort, type HttpResponse } from '../harness/http-client.ts'
import type { TlsPage } from './nginx-server.ts'
import type { RecordedResponses } from './raw-node-server.ts'
import type { Server, StoreApi, TlsServer } from './server.ts'
import { peerCommand, startPeer } from './start-server.ts'
import { createFixedStoreApi } from './store-server.ts'

export async function startBareNode(
  place: ServerPlace,
  { created, list, pet }: Omit<RecordedResponses, 'created'> & Partial<RecordedResponses>,
): Promise<Server> {
  const { createPath: _, ordersPath: __, ...api } = createFixedStoreApi()
  const bytes = { list: bytesOf(list), pet: bytesOf(pet) }
  if (!created) return await start(place, bytes, api)
  const head = `HTTP/1.1 201 Created\r\n${fieldsOf(created.rawHeaders, 'content-length')}`
  const file = join(place.folder, 'bare.db')
  return await start(
    place,
    { ...bytes, created: { head, file } },
    { ...api, createPath: '/v1/pets' },
  )
}

export async function startBareTls(
  place: ServerPlace,
  { chain, host, key, text }: TlsPage,
): Promise<TlsServer> {
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-length': String(Buffer.byteLength(text)),
  }
  const fields = Object.entries(headers).flat()
  const page = bytesOf({ status: 200, rawHeaders: fields, body: text })
  const httpsPort = await findFreePort()
  const body = Buffer.from(text).toString('latin1')
  const tls = { chain, key, port: httpsPort, headers, body }
  const server = await start(place, { list: page, pet: page, tls })
  return { ...server, httpsPort, hosts: [host], path: '/guide.html' }
}

async function start(place: ServerPlace, settings: object, api?: StoreApi): Promise<Server> {
  const port = await findFreePort()
  const file = join(place.folder, 'responses.json')
  writeFileSync(file, JSON.stringify({ ...settings, port }))
  return await startPeer({
    ...place,
    label: 'bare node:net',
    command: peerCommand('bare-node.ts'),
    env: { RESPONSES: file },
    port,
    readyPath: '/',
    ...(api && { api }),
  })
}

function bytesOf({
  body,
  rawHeaders,
}: Pick<HttpResponse, 'status' | 'rawHeaders' | 'body'>): string {
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
