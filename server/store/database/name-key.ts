// The key by which names are found and sorted: only the letters A to Z are lowered, as `lower` does on both engines. Keys
// compare by code points, as the bytes of UTF-8 do.
import type { Engine } from '#kit/database/query.ts'

/** A statement with the key of a row of `pets` or `categories`, as their indexes have it. */
export const byNameKey = (textOf: (key: string) => string): Record<Engine, string> => ({
  sqlite: textOf('lower(name)'),
  postgres: textOf('lower(name collate "C")'),
})

export function nameKeyOf(name: string): string {
  return name.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** Keys from `from` to before `to`. */
export interface KeyRange {
  from: string
  to: string
}

/** Greater than every key: no code point is above U+10FFFF. */
export const endOfKeys = '\u{10ffff}'.repeat(256)

/**
 * The keys of the names that begin with `prefix`, ascending. Letters beyond A to Z are found as typed, in lower case, in
 * upper case and capitalised: one range for each.
 */
export function rangesOf(prefix: string): KeyRange[] {
  const lower = prefix.toLowerCase()
  const capitalised = lower.replace(/^\P{L}*\p{L}/u, (start) => start.toUpperCase())
  const forms = [prefix, lower, prefix.toUpperCase(), capitalised].map(nameKeyOf)
  const keys = [...new Set(forms)].sort(compareKeys)
  return keys
    .filter((key, i) => !keys.slice(0, i).some((earlier) => key.startsWith(earlier)))
    .map((from) => ({ from, to: afterPrefix(from) }))
}

export function compareKeys(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

/** The first key after all those that begin with `prefix`. */
function afterPrefix(prefix: string): string {
  const points = Array.from(prefix, (character) => character.codePointAt(0) as number)
  while (points.at(-1) === 0x10ffff) points.pop()
  const last = points.pop()
  if (last === undefined) return endOfKeys
  // Surrogates are no characters.
  return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1)
}
