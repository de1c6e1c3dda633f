// The forms in which a body may be sent.

/** A change may also be sent as what it is: a merge patch (RFC 7396). */
export function mediaTypesOf(method: string): string[] {
  return method === 'PATCH'
    ? ['application/merge-patch+json', 'application/json']
    : ['application/json']
}
