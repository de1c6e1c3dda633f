// The process that renders a site, with limited memory and access to the program's files alone (render-process.ts). Sends the
// rendered files in batches, each after the previous one was received.
import { once } from 'node:events'
import { renderSite } from '#renderer/render-site.ts'
import { type BuildReport, DeployFailure, type SiteFile } from '#renderer/site-files/site-file.ts'
import type { RenderInput } from '#renderer/sources/render-input.ts'
import { batches } from './batches.ts'

export type ToRenderer = { type: 'render'; input: RenderInput } | { type: 'more' }

export type FromRenderer =
  | { type: 'files'; files: SiteFile[] }
  | { type: 'done'; report: BuildReport }
  | { type: 'failed'; message: string; file: string | undefined; line: number | undefined }

const renderBatch = { maxBytes: 1024 * 1024, maxFiles: 200 }

async function render(input: RenderInput): Promise<void> {
  try {
    let report: BuildReport = { total: 0, items: [] }
    const rendered = (function* () {
      report = yield* renderSite(input)
    })()
    for await (const files of batches(rendered, renderBatch, ({ bytes }) => bytes.length)) {
      const received = once(process, 'message')
      send({ type: 'files', files })
      await received
    }
    send({ type: 'done', report })
  } catch (error) {
    if (!(error instanceof DeployFailure)) throw error
    const { file, line, message } = error
    send({ type: 'failed', message, file, line })
  }
}

function send(message: FromRenderer): void {
  process.send?.(message)
}

if (process.send) {
  // The process that started it has ended.
  process.once('disconnect', () => process.exit())
  const [{ input }] = (await once(process, 'message')) as [ToRenderer & { type: 'render' }]
  await render(input)
}
