// A refused request: HTTP status, code and message.
export class RegistrarError extends Error {
  override readonly name = 'RegistrarError'
  readonly status: number
  readonly code: string
  readonly field: string | undefined
  constructor(status: number, code: string, message: string, field?: string) {
    super(message)
    this.status = status
    this.code = code
    this.field = field
  }
}
