// Lists of the store, page by page, as their links say.
import type { Answer } from './running-store.ts'

/** The path of a link below the base URL. */
export function linkOf({ headers }: Answer, relation: string): string | undefined {
  const target = new RegExp(`<([^>]*)>; rel="${relation}"`).exec(headers.link ?? '')?.[1]
  return target?.replace(/^.*\/v1\//, '/')
}

/** Follows the links of one relation from `first`. Rejects if a page is no success. */
export async function readLinkedPages(
  get: (path: string) => Promise<Answer>,
  first: string,
  relation: 'next' | 'prev' = 'next',
): Promise<(Answer & { path: string })[]> {
  const pages: (Answer & { path: string })[] = []
  for (let path: string | undefined = first; path !== undefined; ) {
    const response: Answer = await get(path)
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${response.text}`)
    pages.push({ ...response, path })
    path = linkOf(response, relation)
  }
  return pages
}
