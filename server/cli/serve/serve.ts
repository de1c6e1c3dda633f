// The declaration of serve. serve-store.ts, which only it loads, runs it.
import type { Command } from '../command-line/command.ts'

export const serve: Command = {
  name: 'serve',
  summary: 'Starts the server: the store, the dashboard and the published sites.',
  options: {},
  async run({ json }) {
    const { serveStore } = await import('./serve-store.ts')
    return await serveStore(json)
  },
}
