// People pack the folder instead of what is in it. The one folder around everything is cut.

/**
 * The same paths in the same order, without the top folder when all of them lie in one. Only one level is
 * cut, and never a hidden folder, whose name means something (`.well-known`). For canonical paths of files.
 */
export function withoutCommonFolder(paths: readonly string[]): string[] {
  const first = paths[0] ?? ''
  const folder = first.slice(0, first.indexOf('/') + 1)
  const isCut = folder !== '' && !folder.startsWith('.') && paths.every((p) => p.startsWith(folder))
  return isCut ? paths.map((path) => path.slice(folder.length)) : [...paths]
}
