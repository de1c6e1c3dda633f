// A lab for tests, with unused addresses and ports, and requests to the registrar's API.
import { onTestFinished } from 'vitest'
import { type LabOptions, startLab } from '../../lab/lab.ts'
import { freeNetwork, freePort } from './free-addresses.ts'

export type StartedLab = Awaited<ReturnType<typeof startLabForTest>>

interface Options extends Partial<Pick<LabOptions, 'env' | 'now' | 'shuffle'>> {
  dnsPort?: number
}

/** The caller stops it. */
export async function startLabForTest({ dnsPort = 5300, env = {}, ...more }: Options = {}) {
  const ports = { dns: dnsPort, http: await freePort(), https: await freePort() }
  const lab = await startLab({
    network: freeNetwork(),
    ports: { ...ports, registrar: 0, browserProxy: 0 },
    env,
    ...more,
  })
  return {
    ...lab,
    /** Sends a request such as `PUT /proxy` to the registrar's API. */
    async ask(route: string, body?: object) {
      const [method = '', path = ''] = route.split(' ')
      const response = await fetch(`${lab.registrarUrl}/api${path}`, {
        method,
        ...(body && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      const json: Record<string, unknown> = text === '' ? {} : JSON.parse(text)
      return { status: response.status, json }
    },
  }
}

/** Stopped when the test has finished. */
export async function startedLab(options?: Options): Promise<StartedLab> {
  const lab = await startLabForTest(options)
  onTestFinished(() => lab.stop())
  return lab
}
