// Reads the token of an Authorization header (RFC 6750, section 2.1).

/** Undefined for another scheme, and for what is no token. */
export function readBearer(authorization: string): string | undefined {
  return /^bearer +([\w.~+/-]+=*) *$/i.exec(authorization)?.[1]
}
