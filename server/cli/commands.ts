// Every command of the program, in the order in which the help shows them.
import type { Command } from './command.ts'
import { keysCreate, keysList, keysRevoke, keysRotate } from './keys.ts'
import { serve } from './serve.ts'
import { stagingReset } from './staging.ts'

export const commands: Command[] = [
  serve,
  keysCreate,
  keysList,
  keysRotate,
  keysRevoke,
  stagingReset,
]
