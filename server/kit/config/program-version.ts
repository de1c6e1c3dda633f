// The program's version, as package.json has it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from './config.ts'

/** Such as `1.0.0`. Reads a file. */
export function readProgramVersion(): string {
  return String(JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')).version)
}
