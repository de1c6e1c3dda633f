// For tests: sources of a site from texts, and what a fault in them throws.
import { expect } from 'vitest'

export function sourcesOf(files: Record<string, string>): Map<string, Buffer> {
  return new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)]))
}

/** A DeployFailure at this place. `message`: a part of its message. */
export const faultAt = (file: string | undefined, line: number | undefined, message = '') => {
  const part = expect.stringContaining(message)
  return expect.objectContaining({ name: 'DeployFailure', file, line, message: part })
}
