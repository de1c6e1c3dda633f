// An environment variable of the configuration.

interface Variable<T> {
  /** What docs/configuration.md and the error message say it accepts. */
  accepts: string
  /** The default as shown there. */
  default: string
  meaning: string
  /** Returns undefined for what it does not accept. */
  parse: (text: string) => T | undefined
}

export const variable = <T>(v: Variable<T>): Variable<T> => v
