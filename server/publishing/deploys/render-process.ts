// Renders untrusted sources in a process of its own. Node's permission model gives it the program's files to read and
// nothing else: no other files, no network, no programs, no threads, no native code. Its time and memory are bounded, and
// its memory is returned when it ends.
import { type ChildProcess, fork } from 'node:child_process'
import { on, once } from 'node:events'
import { realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { projectRoot } from '#kit/config/config.ts'
import { type BuildReport, DeployFailure, type SiteFile } from '#renderer/site-files/site-file.ts'
import type { RenderInput } from '#renderer/sources/render-input.ts'
import type { FromRenderer, ToRenderer } from './render-worker.ts'

const maxRenderMs = 120_000
const maxRenderMegabytes = 600
/** Of what the process writes before it crashes. */
const maxReasonLength = 4000

/** What it reads: itself, the theme, and grammars of packages. */
const readable = ['package.json', 'node_modules', 'client', 'server']

/** Yields the rendered files in batches. Throws DeployFailure for errors in the sources and for exceeded limits. */
export async function* renderInProcess(
  input: RenderInput,
  setReport: (report: BuildReport) => void,
  signal: AbortSignal,
): AsyncGenerator<SiteFile[]> {
  const late = AbortSignal.timeout(maxRenderMs)
  const child = startRenderer()
  const exited = once(child, 'exit')
  const reason = readReason(child)
  const send = (message: ToRenderer): void => void child.send(message, () => {})
  try {
    const messages = on(child, 'message', {
      signal: AbortSignal.any([signal, late]),
      // After the last message, whatever it ended by.
      close: ['disconnect'],
    })
    send({ type: 'render', input })
    for await (const [message] of messages as AsyncIterable<[FromRenderer]>) {
      if (message.type === 'done') return setReport(message.report)
      if (message.type === 'failed') throw new DeployFailure(message.message, message)
      yield message.files
      send({ type: 'more' })
    }
    await exited
    const text = reason()
    if (/heap out of memory|Array buffer allocation failed/.test(text)) {
      throw new DeployFailure(
        `Rendering needs more than ${maxRenderMegabytes} MB. Make the site smaller.`,
      )
    }
    throw new Error(`the renderer exited before it was finished: ${text}`)
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (!late.aborted) throw error
    const seconds = maxRenderMs / 1000
    throw new DeployFailure(`Rendering took longer than ${seconds} seconds. Make the site smaller.`)
  } finally {
    child.kill('SIGKILL')
    await exited
  }
}

function startRenderer(): ChildProcess {
  const file = fileURLToPath(new URL('./render-worker.ts', import.meta.url))
  const folders = [dirname(file), ...readable.map((name) => join(projectRoot, name))]
  return fork(file, [], {
    // Nothing of the process reaches the code that reads untrusted sources, no settings and no options of Node, but
    // where the launcher found a library that Node needs.
    env: { LD_LIBRARY_PATH: process.env.LD_LIBRARY_PATH },
    execArgv: [
      '--permission',
      ...new Set(folders.map((folder) => `--allow-fs-read=${realpathSync(folder)}`)),
      '--disallow-code-generation-from-strings',
      `--max-old-space-size=${maxRenderMegabytes}`,
    ],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
}

/** Gives a function that returns the end of what the process has written. */
function readReason({ stderr }: ChildProcess): () => string {
  let text = ''
  stderr?.setEncoding('utf8').on('data', (part: string) => {
    text = (text + part).slice(-maxReasonLength)
  })
  return () => text
}
