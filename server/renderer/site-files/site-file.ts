// A file of a documentation project, before or after rendering, and what may be wrong with one: a failure, which ends the
// deploy, and problems, which do not.

export interface SiteFile {
  /**
   * Relative to the root of the site, in canonical form: segments in NFC joined by `/`, none of them empty, `.` or
   * `..`, without control characters and backslashes.
   */
  path: string
  bytes: Uint8Array
  /** The origin to which the page may connect, apart from its own. */
  connectTo?: string
}

const encoder = new TextEncoder()

export function textFile(path: string, text: string): SiteFile {
  return { path, bytes: encoder.encode(text) }
}

interface FailurePlace {
  /** Path of a source file, as uploaded. */
  file?: string | undefined
  /** Counted from 1. */
  line?: number | undefined
}

/** An error in the deployed files, never an internal one. The message is shown to the owner unchanged. */
export class DeployFailure extends Error {
  override readonly name = 'DeployFailure'
  readonly file: string | undefined
  readonly line: number | undefined

  /** `message` says what is wrong and how to fix it, without file and line. */
  constructor(message: string, { file, line }: FailurePlace = {}) {
    super(message)
    this.file = file
    this.line = line
  }
}

export const problemKinds = [
  'broken_link',
  'missing_image',
  'orphan_page',
  'bad_redirect',
  'bad_openapi',
] as const

export interface SourceProblem {
  kind: (typeof problemKinds)[number]
  /** What is wrong and how to fix it, without file and line. */
  message: string
  /** Path of a source file, as uploaded. */
  file: string
  /** Counted from 1; null for the whole file. */
  line: number | null
  /** That line of the source, shortened. */
  text: string | null
}

/** All problems are counted; only the first are kept. */
export interface BuildReport {
  total: number
  items: SourceProblem[]
}

export const maxProblems = 100
