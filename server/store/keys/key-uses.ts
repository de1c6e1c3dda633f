// The last uses of API keys, collected in memory on the way of every request until they are recorded (record-uses.ts).

interface KeyUse {
  /** The last one, in milliseconds since the epoch. */
  at: number
  /** Calls of deprecated operations, and the last of them. */
  deprecatedCalls: number
  deprecatedAt: number | undefined
}

/** By the id of the key. */
export type KeyUses = Map<string, KeyUse>

export function noteUse(uses: KeyUses, keyId: string, now: number): void {
  const use = uses.get(keyId)
  if (use) use.at = now
  else uses.set(keyId, { at: now, deprecatedCalls: 0, deprecatedAt: undefined })
}

/** Of a use that is noted already or will be. */
export function noteDeprecatedCall(uses: KeyUses, keyId: string, now: number): void {
  noteUse(uses, keyId, now)
  const use = uses.get(keyId) as KeyUse
  use.deprecatedCalls += 1
  use.deprecatedAt = now
}

/** Puts back what could not be written down: it is older than what has been noted since. */
export function returnUses(uses: KeyUses, taken: KeyUses): void {
  for (const [id, older] of taken) {
    const use = uses.get(id)
    if (!use) uses.set(id, older)
    else {
      use.deprecatedCalls += older.deprecatedCalls
      use.deprecatedAt ??= older.deprecatedAt
    }
  }
}
