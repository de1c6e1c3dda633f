// Servers of the tests listen on free ports.
import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'

/** Resolves with the port once the server listens. */
export async function listenOnFreePort(server: Server, address = '127.0.0.1'): Promise<number> {
  await once(server.listen(0, address), 'listening')
  return (server.address() as AddressInfo).port
}
