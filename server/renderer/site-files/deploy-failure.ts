// Why a deploy failed, as a message for its owner, with the file and line if known.

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
