// Renders a site in a thread of its own, so that requests go on and a site that needs too much time or
// memory costs nobody else anything.
import { on } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { RenderInput } from '../render/sources/render-input.ts'
import { DeployFailure } from '../site-files/deploy-failure.ts'
import type { SiteFile } from '../site-files/site-file.ts'
import type { FromRenderer } from './render-worker.ts'

const withinMs = 120_000
const memoryMb = 768

/** The files in batches. Throws DeployFailure for what the sources are at fault for, time and memory too. */
export async function* renderInThread(
  input: RenderInput,
  signal: AbortSignal,
): AsyncGenerator<SiteFile[]> {
  const late = AbortSignal.timeout(withinMs)
  const worker = new Worker(new URL('./render-worker.ts', import.meta.url), {
    workerData: input,
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
  })
  worker.unref()
  try {
    const messages = on(worker, 'message', {
      signal: AbortSignal.any([signal, late]),
      close: ['exit'],
    })
    for await (const [message] of messages as AsyncIterable<[FromRenderer]>) {
      if (message.type === 'done') return
      if (message.type === 'failed') throw new DeployFailure(message.message, message)
      yield message.files
      worker.postMessage('more')
    }
    throw new Error('the renderer ended before it was done')
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (late.aborted) {
      const seconds = withinMs / 1000
      throw new DeployFailure(
        `Rendering took longer than ${seconds} seconds. Make the site smaller.`,
      )
    }
    if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY') {
      throw new DeployFailure(`Rendering needs more than ${memoryMb} MB. Make the site smaller.`)
    }
    throw error
  } finally {
    await worker.terminate()
  }
}
