// Loaded first by each process of the tests: worker threads and the renderer run from the bundle (vite.config.ts). From the
// sources, each start of one loads 300 modules.
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

const worker = /new URL\('\.\/([\w-]+-worker)\.ts', import\.meta\.url\)/g
const built = new URL('../.cache/program/', import.meta.url)
const starters = [
  '/server/kit/backups/run-backup-worker.ts',
  '/server/publishing/deploys/render-process.ts',
]

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    if (!starters.some((path) => url.split('?')[0]?.endsWith(path))) return loaded
    const source = readFileSync(new URL(url), 'utf8')
    return {
      ...loaded,
      source: source.replace(worker, (_, name) => `new URL('${built}${name}.js')`),
    }
  },
})
