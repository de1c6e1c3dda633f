// Loopback networks and ports that nothing uses, for a lab.
import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** A loopback network that no other test uses at the same time. */
export const freeNetwork = (): string => `127.${randomInt(60, 250)}.${randomInt(1, 250)}`

/** Outside the range of client ports, so that no connection takes it before it is used. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_240, 32_768)
    const server = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false))
      server.listen(port, () => resolve(true))
    })
    if (!isFree) continue
    await new Promise((resolve) => server.close(resolve))
    return port
  }
}
