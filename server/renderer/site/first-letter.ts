// The mark of a site without a logo.

/** The first letter or digit of a title. */
export function firstLetter(title: string): string {
  return (/[\p{L}\p{N}]\p{M}*/u.exec(title)?.[0] ?? '•').toUpperCase()
}
