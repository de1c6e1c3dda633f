// What a build finds in the sources of a site, which does not stop it.

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
