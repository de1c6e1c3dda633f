// A real object storage: OpenStack Swift with its S3 interface, in a process of its own and a folder that is deleted.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { AwsV4Signer } from 'aws4fetch'
import { createDataFolder } from '../data-folder.ts'
import { withLogin } from '../with-login.ts'
import { type StorageProxy, startStorageProxy } from './storage-proxy.ts'

export type Swift = Awaited<ReturnType<typeof startSwift>>
export type TestBucket = Awaited<ReturnType<Swift['createBucket']>>

const keys = { accessKeyId: 'test:tester', secretAccessKey: 'testing' }

export async function startSwift() {
  const folder = await createDataFolder('animal-store-swift-')
  // Debian's Python, which has the package.
  const server = spawn('/usr/bin/python3', [join(import.meta.dirname, 'swift-server.py'), folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const closed = once(server, 'close')
  const [line] = await Promise.race([
    once(createInterface(server.stdout), 'line'),
    closed.then(() => Promise.reject(new Error('Swift did not start'))),
  ])
  const port = Number(line)
  const proxies: StorageProxy[] = []

  async function call(method: string, path: string, body?: Uint8Array): Promise<Buffer> {
    const url = `http://127.0.0.1:${port}${path}`
    const signing = { method, url, ...keys, service: 's3', region: 'us-east-1' }
    const { headers } = await new AwsV4Signer(signing).sign()
    const sent = body === undefined ? {} : { body: Buffer.from(body) }
    const response = await fetch(url, { method, headers, ...sent })
    const bytes = Buffer.from(await response.arrayBuffer())
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${bytes}`)
    return bytes
  }

  return {
    async createBucket() {
      const name = `/sites-${proxies.length + 1}`
      await call('PUT', name)
      const proxy = await startStorageProxy(port)
      proxies.push(proxy)
      return {
        env: {
          OBJECT_STORAGE_URL: `${withLogin(`http://127.0.0.1:${proxy.port}`, keys.accessKeyId, keys.secretAccessKey)}${name}/files`,
        } as Record<string, string>,
        proxy,
        /** The keys of all objects of files. */
        async keys() {
          const list = String(await call('GET', name))
          const keys = [...list.matchAll(/<Key>files\/([^<]+)<\/Key>/g)].map(
            ([, key]) => key as string,
          )
          return keys.filter((key) => key !== 'owner')
        },
        read: (key: string) => call('GET', `${name}/files/${key}`),
        /** Overwrites an object. */
        async write(key: string, bytes: Uint8Array) {
          await call('PUT', `${name}/files/${key}`, bytes)
        },
        async delete(key: string) {
          await call('DELETE', `${name}/files/${key}`)
        },
      }
    },
    async end() {
      for (const proxy of proxies) await proxy.close()
      server.stdin.end()
      await closed
      await rm(folder, { recursive: true, force: true })
    },
  }
}
