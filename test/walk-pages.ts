/** The items of each page of a list, from the first page at `path`, which has a query, along `next` to the last one. */
export async function walkPages<Item>(
  read: (path: string) => Promise<{ items: Item[]; next: string | null }>,
  path: string,
): Promise<Item[][]> {
  const pages: Item[][] = []
  for (let next: string | null = ''; next !== null; ) {
    const page = await read(next === '' ? path : `${path}&before=${next}`)
    pages.push(page.items)
    next = page.next
  }
  return pages
}
