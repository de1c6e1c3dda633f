// The navigation order as text: a path in each line; a line that ends with a colon is the title of a group, whose pages
// are indented below it.
import type { Answer } from '../../client/management-client.ts'

type Sections = Answer<'GET /projects/{slug}/site-settings'>['settings']['navigation']

export function toNavigationText(sections: Sections): string {
  return sections
    .flatMap(({ pages, title }) =>
      title === null ? pages : [`${title}:`, ...pages.map((path) => `  ${path}`)],
    )
    .join('\n')
}

/** What is wrong, otherwise. */
export function readNavigationText(text: string): Sections | string {
  const sections: Sections = []
  for (const [i, written] of text.split('\n').entries()) {
    const line = written.trim()
    if (line === '') continue
    const last = sections.at(-1)
    if (/^\s/.test(written)) {
      if (!last || last.title === null) return `Line ${i + 1} is indented, but it is in no group.`
      last.pages.push(line)
    } else if (line.endsWith(':')) sections.push({ title: line.slice(0, -1).trim(), pages: [] })
    else if (last?.title === null) last.pages.push(line)
    else sections.push({ title: null, pages: [line] })
  }
  const empty = sections.find(({ pages }) => pages.length === 0)
  return empty ? `The group ${empty.title} has no pages. Indent them below its title.` : sections
}
