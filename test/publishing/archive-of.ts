// Archives of files, in the formats that deploys accept.
import type { Files } from './publishing-in-test.ts'
import { tarEnd, tarGz, tarPart } from './tar-bytes.ts'
import { zipBytes } from './zip-bytes.ts'

/** A .tar.gz. */
export function archiveOf(files: Files): Buffer {
  const parts = Object.entries(files).map(([name, content]) =>
    tarPart({ name, content: Buffer.from(content as string) }),
  )
  return tarGz(...parts, tarEnd)
}

export function zipOf(files: Files): Buffer {
  return zipBytes(
    Object.entries(files).map(([name, content]) => ({
      name,
      content: Buffer.from(content as string),
    })),
  )
}
