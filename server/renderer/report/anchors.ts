// Links to parts of pages. Generators make other IDs of the same heading (`build.outDir` is `buildoutdir` on GitHub and
// `build-outdir` in VitePress), so an anchor that a page does not have becomes the one that has the same letters and digits. A
// page is held until the pages that it links to are there; beyond a bound it is passed on as it is, and not checked.
import type { SiteFile } from '../site-files/site-file.ts'
import { textFile } from '../site-files/site-file.ts'

/** A link of a page to a part of a page, maybe itself. */
export interface AnchorLink {
  page: string
  /** Its address in the HTML. */
  href: string
  anchor: string
  source: string
  line: number | undefined
}

interface HeldPage {
  path: string
  html: string
  links: AnchorLink[]
  more: Partial<SiteFile>
}

/** Characters of pages that wait for others. */
const maxHeld = 32 * 1024 * 1024
/** Of one page; further ones are not checked. */
const maxLinks = 10_000

/** `dead`: a link without a target; `near`: an anchor that is similar. */
export function createAnchors(dead: (link: AnchorLink, near: string | undefined) => void) {
  /** Of the page that is being rendered. */
  let links: AnchorLink[] = []
  /** The `id` attributes of each page, in one string. */
  const ids = new Map<string, string>()
  const similar = new Map<string, Map<string, string>>()
  const held: HeldPage[] = []
  let size = 0

  const isExact = ({ anchor, page }: AnchorLink) => ids.get(page)?.includes(` id="${anchor}"`)

  function similarIds(page: string): Map<string, string> {
    const known = similar.get(page)
    if (known) return known
    if (similar.size > 500) similar.clear()
    const found = new Map<string, string>()
    for (const [, id = ''] of ids.get(page)?.matchAll(/ id="([^":]*)"/g) ?? []) {
      if (!found.has(lettersOf(id))) found.set(lettersOf(id), id)
    }
    similar.set(page, found)
    return found
  }

  function settle({ html, links, more, path }: HeldPage): SiteFile {
    for (const link of links) {
      if (!ids.has(link.page) || isExact(link)) continue
      const found = similarIds(link.page)
      const letters = lettersOf(link.anchor.replace(/^(?:user-content-|id-(?=\d))/, ''))
      const id = found.get(letters) ?? found.get(letters.replace(/\d+$/, ''))
      if (id === undefined || letters === '') {
        dead(link, nearest(letters, found))
        continue
      }
      const to = `${link.href.slice(0, link.href.indexOf('#'))}#${encodeURIComponent(id)}`
      html = html.replaceAll(`href="${escaped(link.href)}"`, () => `href="${escaped(to)}"`)
    }
    return { ...textFile(path, html), ...more }
  }

  return {
    add(link: AnchorLink): void {
      const isTop = link.anchor === '' || link.anchor.toLowerCase() === 'top'
      if (!isTop && links.length < maxLinks) links.push(link)
    },
    /** The HTML of the page that has the links added since the last one. Returns pages that wait for no other. */
    *rendered(path: string, html: string, more: Partial<SiteFile>): Generator<SiteFile> {
      ids.set(path, html.match(/ id="[^"]*"/g)?.join('') ?? '')
      const open = links.filter((link) => !isExact(link))
      links = []
      const page = { path, html, links: open, more }
      if (open.every((link) => ids.has(link.page))) return yield settle(page)
      held.push(page)
      size += html.length
      while (size > maxHeld) {
        const [first] = held.splice(0, 1)
        if (!first) return
        size -= first.html.length
        yield settle(first)
      }
    },
    /** The pages that are left, after all were rendered. */
    *finish(): Generator<SiteFile> {
      for (const page of held.splice(0)) yield settle(page)
    },
  }
}

/** The part of a page that an address names, without a text to be highlighted (`:~:text=…`); empty if none. */
export function anchorOf(href: string): string {
  const anchor = href.match(/#(.*)$/s)?.[1]?.split(':~:', 1)[0] ?? ''
  try {
    return decodeURIComponent(anchor)
  } catch {
    return anchor
  }
}

const lettersOf = (id: string) =>
  id
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')

/** An ID that begins with these letters, or with which they begin. */
function nearest(letters: string, ids: ReadonlyMap<string, string>): string | undefined {
  const near = ([id]: [string, string]) =>
    Math.min(id.length, letters.length) > 3 && (id.startsWith(letters) || letters.startsWith(id))
  return [...ids].find(near)?.[1]
}

/** As `sanitize-html` writes attributes. */
const escaped = (text: string) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
