// Archives that must be refused, as real bytes, with what their owner must be told. One table for the
// reader alone and for the whole way over HTTP.

import type { ArchiveForm } from '../../server/publishing/archives/archive-form.ts'
import type { ArchiveLimits } from '../../server/publishing/archives/archive-limits.ts'
import { hostilePaths } from './hostile-paths.ts'
import { hostileTars } from './hostile-tars.ts'
import { hostileZips } from './hostile-zips.ts'
import { paxPart, tarEnd, tarGz, tarPart } from './tar-bytes.ts'
import { zipBytes } from './zip-bytes.ts'

export interface HostileArchive {
  /** Unique in the table. */
  name: string
  form: ArchiveForm
  /** What the message of the DeployFailure must say. */
  refusal: RegExp
  bytes(): Buffer
}

/** `limits` are those that the reader has: some archives go just over them. */
export function hostileArchives(limits: ArchiveLimits): HostileArchive[] {
  return [...hostileZips(limits), ...hostileTars(limits), ...hostilePaths.flatMap(bothForms)]
}

function bothForms({ what, path, refusal }: (typeof hostilePaths)[number]): HostileArchive[] {
  const index = { name: 'index.html', content: '<h1>Hello</h1>' }
  const pax = () => tarGz(tarPart(index), paxPart({ path }), tarPart({ name: 'x' }), tarEnd)
  return [
    {
      name: `zip: path: ${what}`,
      form: 'zip',
      refusal,
      bytes: () => zipBytes([index, { name: path }]),
    },
    { name: `tar.gz: path: ${what}`, form: 'tar.gz', refusal, bytes: pax },
  ]
}
