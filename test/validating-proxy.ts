// Prism as a proxy between a test and the server: validates requests and responses against openapi.yaml. Loopback only.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { openApiFile } from './openapi-file.ts'
import { type Answer, type AskOptions, ask } from './running-store.ts'

const program = join(import.meta.dirname, 'tools/node_modules/@stoplight/prism-cli/dist/index.js')

/** Prism's violations, such as `response.body.0.categoryId maximum`. */
export interface ProxiedAnswer extends Answer {
  violations: string[]
}

export interface ValidatingProxy {
  ask(path: string, options?: AskOptions): Promise<ProxiedAnswer>
  stop(): Promise<void>
}

interface Violation {
  location: string[]
  code?: string | number
  message: string
}

const startWithinMs = 30_000

/**
 * Forwards requests to `baseUrl`, by default with `key`. With `isStrict`, Prism responds to a violation itself, with
 * application/problem+json; otherwise it forwards everything and reports violations.
 */
export async function startValidatingProxy(
  baseUrl: string,
  key: string,
  isStrict: boolean,
): Promise<ValidatingProxy> {
  const words = ['proxy', '--host=127.0.0.1', '--port=0', ...(isStrict ? ['--errors'] : [])]
  const child = spawn(process.execPath, [program, ...words, openApiFile, baseUrl], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // The proxy must not outlive the test.
    timeout: 120_000,
    killSignal: 'SIGKILL',
  })
  const exited = once(child, 'exit')
  let said = ''
  const port = await new Promise<number>((resolve, reject) => {
    const giveUp = (why: string): void => {
      child.kill('SIGKILL')
      reject(new Error(`Prism ${why}: ${said}`))
    }
    const timer = setTimeout(() => giveUp('does not start'), startWithinMs)
    const listen = (text: string): void => {
      said += text
      const found = /listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(said)?.[1]
      if (found === undefined) return
      clearTimeout(timer)
      resolve(Number(found))
    }
    child.stdout.setEncoding('utf8').on('data', listen)
    child.stderr.setEncoding('utf8').on('data', listen)
    exited.then(() => giveUp('ended'))
  })
  const proxy = new URL(`http://127.0.0.1:${port}`)
  return {
    async ask(path, options) {
      // The proxy has no base path, so the slash is already there.
      const answer = await ask(port, proxy, key, path.slice(1), options)
      const isOwn = answer.headers['content-type'] === 'application/problem+json'
      const { validation = [] } = (isOwn ? answer.json : {}) as { validation?: Violation[] }
      const told = JSON.parse(answer.headers['sl-violations'] ?? '[]') as Violation[]
      const violations = [...validation, ...told].map(
        ({ location, code, message }) => `${location.join('.')} ${code ?? message}`,
      )
      if (isOwn && violations.length === 0) violations.push(answer.text)
      return { ...answer, violations }
    },
    async stop() {
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), 2000)
      await exited
      clearTimeout(timer)
    },
  }
}
