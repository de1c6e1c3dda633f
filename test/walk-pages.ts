/**
 * The items of each page of a list, from the first page at `path`, which has a query, along `next` to the last one.
 * `cursor`: the parameter of the next page.
 */
export async function walkPages<Item>(
  read: (path: string) => Promise<{ items: Item[]; next: string | null }>,
  path: string,
  cursor: 'before' | 'after' = 'before',
): Promise<Item[][]> {
  const pages: Item[][] = []
  for (let next: string | null = ''; next !== null; ) {
    const page = await read(next === '' ? path : `${path}&${cursor}=${next}`)
    pages.push(page.items)
    next = page.next
  }
  return pages
}
