// Links to parts of pages. Generators make other IDs of the same heading (`build.outDir` is `buildoutdir` on GitHub and
// `build-outdir` in VitePress), so an anchor that a page does not have becomes the one that has the same letters and digits. A
// page is held until the pages that it links to are there; beyond a bound it is passed on as it is, and not checked.
import { escapeHtml } from '../markdown/html.ts'
import { type SiteFile, textFile } from '../site-files/site-file.ts'
import type { Heading, Page } from '../sources/render-input.ts'

/** A link of a page to a part of a page, maybe itself. */
interface AnchorLink {
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
/** IDs of all pages, beyond which anchors are not checked, and dead links for which a similar one is looked for. */
const maxIds = 500_000
const maxAdvised = 200

/** Of anchors on GitHub, in GitBook and in Mintlify. */
const prefixes = /^(?:user-content-|id-(?=\d)|param-)/

/** `dead`: a link without a target; `near`: an anchor that is similar. `labels`: those that are known in all pages. */
export function createAnchors(
  labels: ReadonlyMap<string, { href: string }>,
  dead: (link: AnchorLink, near: string | undefined) => void,
) {
  /** Of the page that is being rendered. */
  let links: AnchorLink[] = []
  /** The IDs of each page, by themselves and by their letters. */
  const ids = new Map<string, Map<string, string>>()
  let count = 0
  let advised = 0
  const held: HeldPage[] = []
  let size = 0

  function readIds(page: string, html: string, headings: readonly Heading[]): void {
    const all = Array.from(html.matchAll(/ id="([^"\n]*)/g), ([, id = '']) => id)
    count += all.length
    if (count > maxIds) return
    const found = new Map<string, string>()
    for (const id of all) {
      found.set(id, id)
      if (!id.includes(':')) found.getOrInsert(lettersOf(id), id)
    }
    // Those with another ID than generators make of their text.
    for (const { id, text } of headings) found.getOrInsert(lettersOf(text), id)
    ids.set(page, found)
  }

  const isOpen = ({ anchor, page }: AnchorLink) =>
    ids.get(page)?.get(escaped(anchor)) !== escaped(anchor)

  function settle({ html, links, more, path }: HeldPage): SiteFile {
    const moved = new Map<string, string>()
    for (const link of links) {
      const found = ids.get(link.page)
      if (!found || !isOpen(link)) continue
      const bare = link.anchor.replace(prefixes, '')
      // Caddy's have `lt` and `gt` of the entities in a heading.
      const others = [bare.replace(/[-_]?\d+$/, ''), bare.replaceAll(/[lg]t/g, '')]
      const forms = [link.anchor, bare, ...others].map(lettersOf)
      const id = forms.map((form) => form && found.get(form)).find(Boolean)
      const place = link.href.slice(0, link.href.indexOf('#'))
      const to =
        id === undefined ? labels.get(link.anchor)?.href : `${place}#${encodeURIComponent(id)}`
      if (to !== undefined) moved.set(escaped(link.href), escaped(to))
      else dead(link, advised++ < maxAdvised ? nearest(lettersOf(bare), found) : undefined)
    }
    if (moved.size > 0)
      html = html.replaceAll(/(?<=href=")[^"]*/g, (href) => moved.get(href) ?? href)
    return { ...textFile(path, html), ...more }
  }

  return {
    add(link: AnchorLink): void {
      const isTop = link.anchor === '' || link.anchor.toLowerCase() === 'top'
      if (!isTop && links.length < maxLinks) links.push(link)
    },
    /** The HTML of the page that has the links added since the last one. Returns pages that wait for no other. */
    *rendered(
      { headings, path }: Pick<Page, 'headings' | 'path'>,
      html: string,
      more: Partial<SiteFile>,
    ): Generator<SiteFile> {
      readIds(path, html, headings)
      const open = links.filter(isOpen)
      links = []
      const page = { path, html, links: open, more }
      if (open.every((link) => ids.has(link.page))) return yield settle(page)
      held.push(page)
      size += html.length
      while (size > maxHeld) {
        const [first] = held.splice(0, 1) as [HeldPage]
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
    Math.min(id.length, letters.length) > 3 &&
    !id.includes(':') &&
    (id.startsWith(letters) || letters.startsWith(id))
  return [...ids].find(near)?.[1]
}

/** As `sanitize-html` writes attributes. */
const escaped = (text: string) => escapeHtml(text).replaceAll('&#39;', "'")
