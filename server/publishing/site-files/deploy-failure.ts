// Why a deploy cannot become live, in words for its owner, with the place where that is known.

export interface FailurePlace {
  /** Path of a source file, as it was given. */
  file?: string | undefined
  /** Counted from 1. */
  line?: number | undefined
}

/** A fault of what was deployed, never of ours: its message is shown to the owner as it is. */
export class DeployFailure extends Error {
  override readonly name = 'DeployFailure'
  readonly file: string | undefined
  readonly line: number | undefined

  /** `message` says what is wrong and how to mend it, without the place. */
  constructor(message: string, { file, line }: FailurePlace = {}) {
    super(message)
    this.file = file
    this.line = line
  }
}
