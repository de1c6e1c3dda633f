// Semantic Versioning, section 11: which of two versions is later.

/** Negative if `a` is earlier than `b`. Build metadata does not count. */
export function compareVersions(a: string, b: string): number {
  const [coreOfA, preOfA] = parse(a)
  const [coreOfB, preOfB] = parse(b)
  const order = compareIdentifiers(coreOfA, coreOfB)
  if (order !== 0) return order
  // A release is later than its candidates.
  if (preOfA.length === 0 || preOfB.length === 0) return preOfB.length - preOfA.length
  return compareIdentifiers(preOfA, preOfB)
}

function parse(version: string): [core: string[], prerelease: string[]] {
  const [core = '', ...prerelease] = (version.split('+')[0] ?? '').split('-')
  const rest = prerelease.join('-')
  return [core.split('.'), rest === '' ? [] : rest.split('.')]
}

function compareIdentifiers(a: readonly string[], b: readonly string[]): number {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const [x, y] = [a[i], b[i]]
    if (x === undefined || y === undefined) return x === undefined ? -1 : 1
    if (x === y) continue
    const [isNumber, otherIsNumber] = [/^\d+$/.test(x), /^\d+$/.test(y)]
    if (isNumber && otherIsNumber) return Number(x) - Number(y)
    // Numbers come before words.
    if (isNumber !== otherIsNumber) return isNumber ? -1 : 1
    return x < y ? -1 : 1
  }
  return 0
}
