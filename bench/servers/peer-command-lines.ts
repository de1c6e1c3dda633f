// How each peer is run: the pinned Node that runs this harness, on a file of a peer.

import { join } from 'node:path'

const benchFolder = join(import.meta.dirname, '..')

export function peerFile(name: string): string {
  return join(benchFolder, 'peers', name)
}

export function packageFile(name: string): string {
  return join(benchFolder, 'node_modules', name)
}

export function nodeCommand(file: string): string[] {
  return [process.execPath, file]
}
