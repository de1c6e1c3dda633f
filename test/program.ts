// The bundle that `npm start` runs, built by the global set-up (builds.ts).
import { join } from 'node:path'

export const program = join(import.meta.dirname, '../.cache/program/main.js')

/** How a child process finds the pinned Node, and that Node its libraries. */
export const nodeEnvironment = {
  PATH: process.env.PATH ?? '',
  LD_LIBRARY_PATH: process.env.LD_LIBRARY_PATH ?? '',
}
