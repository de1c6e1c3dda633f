// Decodes a source as text. Invalid UTF-8 is rejected, because guessing the encoding could publish garbage.
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

function lineOfFault(bytes: Uint8Array): number {
  let line = 1
  for (let start = 0; start < bytes.length; line += 1) {
    const end = bytes.indexOf(10, start)
    const next = end === -1 ? bytes.length : end + 1
    try {
      decoder.decode(bytes.subarray(start, next))
    } catch {
      return line
    }
    start = next
  }
  return line
}
