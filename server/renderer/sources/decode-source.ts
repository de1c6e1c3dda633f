// Decodes a source as text. Invalid UTF-8 is rejected, because guessing the encoding could publish garbage.
import { isUtf8 } from 'node:buffer'
import { DeployFailure } from '../site-files/deploy-failure.ts'

const decoder = new TextDecoder('utf-8', { fatal: true })

/** The text without a byte order mark, with `\n` as line endings. Throws DeployFailure with the line. */
export function decodeSource(bytes: Uint8Array, file: string): string {
  try {
    return decoder.decode(bytes).replaceAll(/\r\n?/g, '\n')
  } catch {
    throw new DeployFailure('This is not UTF-8 text. Save the file as UTF-8.', {
      file,
      line: lineOfFault(bytes),
    })
  }
}

/** Line feeds are no part of other characters, so that each line can be checked alone. */
function lineOfFault(bytes: Uint8Array): number {
  const lines = Buffer.from(bytes).toString('latin1').split('\n')
  return lines.findIndex((line) => !isUtf8(Buffer.from(line, 'latin1'))) + 1
}
