// Hostile archives, as real bytes, with the expected error. One table for the reader and for deploys over HTTP.

import type { ArchiveLimits } from '#publishing/archives/entry-checker.ts'
import type { ArchiveForm } from '#publishing/archives/read-archive.ts'
import { hostilePaths } from './hostile-paths.ts'
import { hostileTars } from './hostile-tars.ts'
import { hostileZips } from './hostile-zips.ts'
import { paxPart, tarEnd, tarGz, tarPart } from './tar-bytes.ts'
import { zipBytes } from './zip-bytes.ts'

export interface HostileArchive {
  /** Unique in the table. */
  name: string
  form: ArchiveForm
  /** What the message of the DeployFailure must contain. */
  refusal: RegExp
  bytes(): Buffer
}

/** `limits` are the reader's limits, which some archives exceed slightly. */
export function hostileArchives(limits: ArchiveLimits): HostileArchive[] {
  return [...hostileZips(limits), ...hostileTars(limits), ...hostilePaths.flatMap(bothForms)]
}

function bothForms([what, path, refusal]: (typeof hostilePaths)[number]): HostileArchive[] {
  const index = { name: 'index.html', content: '<h1>Hello</h1>' }
  const zip = () => zipBytes([index, { name: path }])
  const pax = () => tarGz(tarPart(index), paxPart({ path }), tarPart({ name: 'x' }), tarEnd)
  return [
    { name: `zip: path: ${what}`, form: 'zip', refusal, bytes: zip },
    { name: `tar.gz: path: ${what}`, form: 'tar.gz', refusal, bytes: pax },
  ]
}
