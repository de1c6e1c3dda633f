// The form of an API key: as_live_<id>_<secret><checksum>, as kit/identifiers.ts makes it. The mark
// says which environment it is for.

import { createSecretText, parseSecretText } from '#kit/identifiers.ts'
import { type EnvironmentName, environmentNames } from '../database/environment-name.ts'

const marks: Record<EnvironmentName, string> = { production: 'as_live_', staging: 'as_test_' }

interface ParsedKey {
  environment: EnvironmentName
  id: string
}

/** Makes a key for an environment. The text is shown once; keep `hash` and `id`. */
export const createKeyText = (environment: EnvironmentName) => createSecretText(marks[environment])
export type KeyText = ReturnType<typeof createKeyText>

/** Reads a key's form; undefined for what cannot be a key. Says nothing on whether it is known. */
export function parseKey(text: string): ParsedKey | undefined {
  const parsed = parseSecretText(text)
  const environment = environmentNames.find((name) => marks[name] === parsed?.mark)
  return parsed && environment && { environment, id: parsed.id }
}
