// A file of a documentation project, before or after rendering, and what may be wrong with one: a failure, which ends the
// deploy, and problems, which do not.

export interface SiteFile {
  /**
   * Relative to the root of the site, in canonical form: segments in NFC joined by `/`, none of them empty, `.` or
   * `..`, without control characters and backslashes.
   */
  path: string
  bytes: Uint8Array
  /** The path of the source whose bytes it has, instead of `bytes`. */
  copyOf?: string
  /** The origin to which the page may connect, apart from its own. */
  connectTo?: string
}

const encoder = new TextEncoder()

export function textFile(path: string, text: string): SiteFile {
  return { path, bytes: encoder.encode(text) }
}

/** An error in the deployed files, never an internal one. The message is shown to the owner unchanged. */
export class DeployFailure extends Error {
  override readonly name = 'DeployFailure'
  /** Path of a source file, as uploaded. */
  readonly file: string | undefined
  /** Counted from 1. */
  readonly line: number | undefined

  /** `message` says what is wrong and how to fix it, without file and line. */
  constructor(message: string, { file, line }: Partial<Pick<DeployFailure, 'file' | 'line'>> = {}) {
    super(message)
    this.file = file
    this.line = line
  }
}

/**
 * What can be wrong with the sources, with its severity. `error`: readers miss content. `warning`: something does not look or
 * work as its author meant. `note`: nothing that readers see.
 */
const severityOf = {
  not_rendered: 'error',
  missing_image: 'error',
  missing_include: 'error',
  removed_element: 'error',
  unknown_syntax: 'warning',
  unknown_component: 'warning',
  broken_link: 'warning',
  dead_anchor: 'warning',
  front_matter: 'warning',
  bad_redirect: 'warning',
  bad_openapi: 'warning',
  setting_not_used: 'note',
  orphan_page: 'note',
} as const

export type ProblemKind = keyof typeof severityOf
export const problemKinds = Object.keys(severityOf) as ProblemKind[]
/** The worst first. */
export const severities = ['error', 'warning', 'note'] as const

export interface SourceProblem {
  kind: ProblemKind
  severity: (typeof severities)[number]
  /** What is wrong and how to fix it, without file and line. */
  message: string
  /** Path of a source file, as uploaded: the first place that has the problem. */
  file: string
  /** Counted from 1; null for the whole file. */
  line: number | null
  /** That line of the source, shortened. */
  text: string | null
  /** Number of places that have the problem. */
  count: number
}

/** One place, unless `count` is given. Problems of reports of earlier releases have neither severity nor count. */
export function sourceProblem(
  problem: Omit<SourceProblem, 'severity' | 'count'> & { count?: number },
): SourceProblem {
  return { count: 1, ...problem, severity: severityOf[problem.kind] }
}

/** The site generator that a folder was written for. */
export interface FoundGenerator {
  /** As its makers write it, such as `Docusaurus`. */
  name: string
  /** The file by which it was recognised. */
  file: string
  /** What was taken from its files, such as `navigation` and `title`. */
  taken: string[]
}

/** All problems are counted; only the worst are kept, and of those the first. */
export interface BuildReport {
  total: number
  items: SourceProblem[]
  generator?: FoundGenerator
}

export const maxProblems = 100
