// Whether a file name contains a hash of the content, as bundlers write it, so that the content never changes. A
// false positive stays in browsers for a year; a false negative costs one revalidation. If in doubt, the answer is no.

/** The end of a name after the hash: `main.3fa9c2d41b.min.js`. */
const ending = /(?:\.(?:min|bundle|chunk|module|esm))?\.([a-z][a-z0-9]{0,11})(?:\.map)?$/i
const document = /^(?:[sx]?html?|xht)$/i
const hexWord =
  /abed|acce|aced|added|babe|bade|bead|beef|cafe|cede|dead|deaf|decade|deed|deface|ebbed|efface|face|fade|feed/
const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** `path` is a canonical path. Always false for HTML. */
export function isHashedName(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const end = ending.exec(name)
  if (!end || document.test(end[1] as string)) return false
  const stem = name.slice(0, end.index)
  // A UUID identifies a record, not its content.
  if (uuid.test(stem)) return false
  const token = /[-.]([A-Za-z0-9_]{8,128})$/.exec(stem)?.[1]
  return token !== undefined && (isHex(token) || isBase64Url(token))
}

const hashLength = 16

/** Where a file of the theme is published, from the SHA-256 of its content. */
export function themePath(name: string, extension: string, digest: string): string {
  const paths = Array.from(
    { length: digest.length - hashLength },
    (_, start) => `_site/${name}-${digest.slice(start, start + hashLength)}.${extension}`,
  )
  // A hash that looks like words would not be cached permanently.
  return paths.find(isHashedName) ?? `_site/${name}-${digest}.${extension}`
}

function isHex(token: string): boolean {
  if (!/^[0-9a-f]+$/.test(token) || hexWord.test(token)) return false
  // Excludes dates and part numbers with one or two letters at one end.
  return count(token, /[0-9]/g) >= 2 && count(token, /[a-f]/g) >= 2 && turns(token) >= 2
}

/** Digits and letters of both cases, mixed so much that it cannot be a word or product name. */
function isBase64Url(token: string): boolean {
  if (!/[0-9]/.test(token) || !/[a-z]/.test(token) || !/[A-Z]/.test(token)) return false
  if (/[A-Z]{4}/.test(token)) return false
  const words = token.match(/[a-z]{3,}/g) ?? []
  if (words.some((word) => /[aeiouy]/.test(word))) return false
  return turns(token) >= Math.max(5, token.length / 2)
}

/** How often the character class changes. */
const turns = (token: string): number =>
  count(token, /[0-9](?![0-9]|$)|[a-z](?![a-z]|$)|[A-Z](?![A-Z]|$)|_(?!_|$)/g)

const count = (text: string, of: RegExp): number => text.match(of)?.length ?? 0
