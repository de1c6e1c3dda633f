// The worker thread that renders a site, without database and network access and with limited memory. Sends the
// files in batches, each after the previous one was received. Started by build-deploy.ts.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { renderSite } from '../render/render-site.ts'
import type { RenderInput } from '../render/sources/render-input.ts'
import { DeployFailure } from '../site-files/deploy-failure.ts'
import type { SiteFile } from '../site-files/site-file.ts'
import type { BuildReport } from '../site-files/source-problem.ts'
import { batches } from './batches.ts'

export type FromRenderer =
  | { type: 'files'; files: SiteFile[] }
  | { type: 'done'; report: BuildReport }
  | { type: 'failed'; message: string; file: string | undefined; line: number | undefined }

const renderBatch = { maxBytes: 1024 * 1024, maxFiles: 200 }

async function run(port: MessagePort): Promise<void> {
  try {
    let report: BuildReport = { total: 0, items: [] }
    const rendered = (function* () {
      report = yield* renderSite(workerData as RenderInput)
    })()
    for await (const files of batches(rendered, renderBatch, ({ bytes }) => bytes.length)) {
      const received = new Promise((resolve) => port.once('message', resolve))
      port.postMessage({ type: 'files', files } satisfies FromRenderer)
      await received
    }
    port.postMessage({ type: 'done', report } satisfies FromRenderer)
  } catch (error) {
    if (!(error instanceof DeployFailure)) throw error
    const { file, line, message } = error
    port.postMessage({ type: 'failed', message, file, line } satisfies FromRenderer)
  }
}

if (parentPort) await run(parentPort)
