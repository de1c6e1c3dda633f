// The lab in a thread of its own: the calls that its servers make are not the program's.
import { parentPort } from 'node:worker_threads'
import { startLab } from '../../lab/lab.ts'
import { freeNetwork, freePort } from '../lab/free-addresses.ts'

const ports = { dns: 5300, registrar: 0, browserProxy: 0 }
const lab = await startLab({
  network: freeNetwork(),
  ports: { ...ports, http: await freePort(), https: await freePort() },
  env: {},
  now: () => Date.UTC(2027, 0, 1),
})
const { domains, folder, topology } = lab
/** Names to buy, then undefined. */
parentPort?.on('message', async (name?: string) => {
  if (name !== undefined) domains.buy(name, 'burrow')
  else await lab.stop().then(() => parentPort?.close())
})
parentPort?.postMessage({ folder, topology, authority: undefined })
