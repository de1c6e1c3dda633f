// A lab for a test, with unused addresses and ports, stopped when the test has finished.
import { onTestFinished } from 'vitest'
import { type Lab, startLab } from '../../lab/lab.ts'
import { freeNetwork, freePort } from './free-addresses.ts'

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
