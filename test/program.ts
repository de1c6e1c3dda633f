// The bundle that `npm start` runs, built by the global set-up (builds.ts).
import { join } from 'node:path'

export const program = join(import.meta.dirname, '../.cache/program/main.js')
