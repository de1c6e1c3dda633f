// Removes the top folder of an archive that was created from a folder instead of its content.

/**
 * The same paths in the same order, without the top folder if it contains all of them. Only one level is removed,
 * and never a hidden folder, whose name has a meaning (`.well-known`). For canonical paths of files.
 */
export function withoutCommonFolder(paths: readonly string[]): string[] {
  const first = paths[0] ?? ''
  const folder = first.slice(0, first.indexOf('/') + 1)
  const isCut = folder !== '' && !folder.startsWith('.') && paths.every((p) => p.startsWith(folder))
  return isCut ? paths.map((path) => path.slice(folder.length)) : [...paths]
}
