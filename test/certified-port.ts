// The HTTPS port of a running program, once its own hosts have certificates of the internal authority.
import { connect } from 'node:tls'
import { eventually } from './eventually.ts'

/** Gives the port when every host is served on it. */
export async function certifiedPort(port: number | undefined, hosts: string[]): Promise<number> {
  if (port === undefined) throw new Error('HTTPS is off')
  for (const host of hosts) {
    await eventually(
      () => canShake(port, host),
      (isServed) => isServed,
    )
  }
  return port
}

function canShake(port: number, servername: string): Promise<boolean> {
  return new Promise((resolve) => {
    const options = { host: '127.0.0.1', port, servername, rejectUnauthorized: false }
    const socket = connect(options, () => resolve(true))
    socket.on('secureConnect', () => socket.destroy()).on('error', () => resolve(false))
  })
}
