// The bundle that `npm start` runs. The global set-up has built it (builds.ts).
import { join } from 'node:path'

export const program = join(import.meta.dirname, '../.cache/program/main.js')
