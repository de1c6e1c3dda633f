// Finds the known name that a misspelt one was meant to be, for the messages about unknown names.

/** The form in which clients write names otherwise: `pet_ids[]`, `PetIds` and `petIds` are alike. */
const plain = (name: string): string =>
  name
    .replace(/\[[^\]]*\]$/, '')
    .replaceAll(/[_-]/g, '')
    .toLowerCase()

/**
 * The known name that differs in its notation only, or else by one edit: a letter that is wrong, missing or one too many,
 * or two neighbours that are exchanged.
 */
export function findNearMiss(name: string, names: Iterable<string>): string | undefined {
  if (name.length > 50) return undefined
  const plainName = plain(name)
  const all = [...names]
  return (
    all.find((other) => plain(other) === plainName) ??
    all.find((other) => other.length > 2 && isOneEditAway(plainName, plain(other)))
  )
}

/** True if one insertion, deletion, substitution or exchange of neighbours makes `a` to `b`. */
function isOneEditAway(a: string, b: string): boolean {
  let start = 0
  while (start < a.length && a[start] === b[start]) start++
  const [restA, restB] = [a.slice(start), b.slice(start)]
  return (
    restA.slice(1) === restB.slice(1) ||
    restA.slice(1) === restB ||
    restA === restB.slice(1) ||
    (restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2))
  )
}
