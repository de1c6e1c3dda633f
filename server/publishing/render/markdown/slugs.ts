// Names headings as GitHub does, so that links written for GitHub work here, too.

/** Gives each heading of one page its id; equal ones are numbered. */
export function createSlugger(): (text: string) => string {
  const seen = new Map<string, number>()
  return (text) => {
    const slug = slugOf(text)
    let count = seen.get(slug) ?? 0
    let unique = slug
    while (seen.has(unique)) {
      count += 1
      unique = `${slug}-${count}`
    }
    seen.set(slug, count)
    seen.set(unique, 0)
    return unique
  }
}

function slugOf(text: string): string {
  const slug = text
    .toLowerCase()
    .trim()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-')
  return slug === '' ? 'section' : slug
}
