// serve: the program itself. What it needs is loaded only when it runs, so that other commands start fast.
import type { Command } from '../command-line/command.ts'

export const serve: Command = {
  name: 'serve',
  summary: 'Serve the store and everything published.',
  options: {},
  async run({ json }) {
    const { serveStore } = await import('./serve-store.ts')
    return await serveStore(json)
  },
}
