// A lab for a test, with unused addresses and ports, stopped when the test has finished.
import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'
import { onTestFinished } from 'vitest'
import { type Lab, startLab } from '../../lab/lab.ts'

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

export interface StartedLab extends Lab {
  /** Sends a request such as `PUT /proxy` to the registrar's API. */
  ask(route: string, body?: object): Promise<{ status: number; json: Record<string, unknown> }>
}

export async function startedLab(
  options: { dnsPort?: number; now?: () => number; env?: NodeJS.ProcessEnv } = {},
): Promise<StartedLab> {
  const lab = await startLab({
    network: freeNetwork(),
    ports: {
      dns: options.dnsPort ?? 5300,
      http: await freePort(),
      https: await freePort(),
      registrar: 0,
      browserProxy: 0,
    },
    env: options.env ?? {},
    ...(options.now && { now: options.now }),
  })
  onTestFinished(() => lab.stop())
  return {
    ...lab,
    async ask(route, body) {
      const [method = '', path = ''] = route.split(' ')
      const response = await fetch(`${lab.registrarUrl}/api${path}`, {
        method,
        ...(body && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      return { status: response.status, json: text === '' ? {} : JSON.parse(text) }
    },
  }
}
