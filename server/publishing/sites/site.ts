// One deploy of one project as it is served, with what is remembered of its files. Deploys never change,
// so that nothing of this is ever stale: another live deploy is another Site.
import type { PublishedFile } from './published-file.ts'

export interface Site {
  readonly projectId: string
  readonly number: bigint
  /** Rendered by us, so that we know what its pages need; otherwise served as somebody made it. */
  readonly isRendered: boolean
  /** By address, with one slash in front. */
  readonly files: Map<string, PublishedFile>
  /** Look-ups that have begun, by the same. */
  readonly underway: Map<string, Promise<FoundFile>>
}

export type FoundFile =
  | { kind: 'file'; file: PublishedFile }
  /** To another path of the same site. */
  | { kind: 'moved'; to: string }
  | { kind: 'missing' }

export function newSite(projectId: string, number: bigint, isRendered: boolean): Site {
  return { projectId, number, isRendered, files: new Map(), underway: new Map() }
}
