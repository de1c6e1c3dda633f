// The file of rejected records: a JSON object on each line, with the record as it was in the input, so that it can be fixed
// and imported again.
import { isUtf8 } from 'node:buffer'
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import type { Reject } from './read-pets.ts'

export function createRejectedFile(path: string) {
  let file: number | undefined
  let isCreated = false
  const close = (): void => {
    if (file !== undefined) closeSync(file)
    file = undefined
  }
  return {
    /** Creates the file with the first ones. Throws EEXIST rather than overwrite. */
    write(rejects: Reject[]) {
      if (rejects.length === 0) return
      file ??= openSync(path, isCreated ? 'a' : 'wx')
      isCreated = true
      writeSync(file, rejects.map(describe).join(''))
    },
    close,
    /** Closes and removes what this has created. */
    discard() {
      close()
      if (isCreated) rmSync(path, { force: true })
    },
  }
}

function describe({ line, bytes, problems }: Reject): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const record = isUtf8(buffer)
    ? { record: buffer.toString().replace(/\s+$/, '') }
    : { recordBase64: buffer.toString('base64') }
  return `${JSON.stringify({ line, ...record, problems })}\n`
}
