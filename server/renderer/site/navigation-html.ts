// The navigation as HTML, the listing page of a folder without a page of its own, and the 404 page.
import { Html, html, icon } from '../markdown/html.ts'
import { hrefOf } from '../sources/addresses.ts'
import { type NavigationItem, readingOrder } from './navigation.ts'

const fullUpTo = 250
const openUpTo = 60
const maxGroupItems = 120
const around = 40

/** Creates the navigation lists of the pages. */
export function createNavigationHtml(items: readonly NavigationItem[]): (path: string) => Html {
  const total = readingOrder(items).length
  // A set preserves its order: the first path is the first page.
  const paths = new Map<NavigationItem, Set<string>>()
  const remember = (item: NavigationItem) => {
    paths.set(item, new Set(readingOrder([item]).map(({ path = '' }) => path)))
    item.children?.forEach(remember)
  }
  items.forEach(remember)
  const holds = (item: NavigationItem, path: string) => paths.get(item)?.has(path) === true
  const firstOf = (item: NavigationItem | undefined) =>
    item && paths.get(item)?.values().next().value
  const open = alwaysOpen(items)

  function list(children: readonly NavigationItem[], path: string): Html {
    const current = children.findIndex((item) => holds(item, path))
    const isLong = children.length > maxGroupItems
    const from = isLong ? Math.max(0, Math.min(current, children.length - around) - around) : 0
    const to = isLong ? Math.max(current, 0) + around : children.length
    return html`<ul>${[
      from > 0 && more('Earlier…', firstOf(children[from - 1])),
      ...children.slice(from, to).map((item) => node(item, path)),
      to < children.length && more('Later…', firstOf(children[to])),
    ]}</ul>`
  }

  function node(item: NavigationItem, path: string): Html {
    if (item.children === undefined) return html`<li>${link(item, path)}</li>`
    const isOpen = open.has(item) || holds(item, path)
    const first = firstOf(item)
    if (total > fullUpTo && !isOpen && first !== undefined) {
      return html`<li><a class="nav-closed" href="${hrefOf(first)}">${item.title}${icon('chevron')}</a></li>`
    }
    const mark = new Html(isOpen ? ' open' : '')
    return html`<li><details${mark}><summary>${item.title}${icon('chevron')}</summary>${list(item.children, path)}</details></li>`
  }

  return (path) => list(items, path)
}

/** The first groups that have few pages together, with those inside them: on large sites others are closed. */
function alwaysOpen(items: readonly NavigationItem[]): ReadonlySet<NavigationItem> {
  const open = new Set<NavigationItem>()
  const add = (item: NavigationItem) => {
    open.add(item)
    item.children?.forEach(add)
  }
  let left = openUpTo
  for (const item of items) {
    const count = readingOrder([item]).length
    if (count > left) continue
    left -= count
    add(item)
  }
  return open
}

function link({ title, path = '', badge }: NavigationItem, current: string): Html {
  const mark = new Html(path === current ? ' aria-current="page"' : '')
  // As wide as the other methods, beside a title in a narrow column.
  const label = badge === 'DELETE' ? 'DEL' : badge
  return html`<a href="${hrefOf(path)}"${mark}><span>${title}</span>${badge !== undefined && html` <span class="nav-badge nav-badge-${badge.toLowerCase()}">${label}</span>`}</a>`
}

function more(title: string, path: string | undefined): Html | false {
  return (
    path !== undefined && html`<li><a class="nav-more" href="${hrefOf(path)}">${title}</a></li>`
  )
}

/** Plain text by path of the page. */
type Descriptions = ReadonlyMap<string, string>

/** The items as a list, with a heading per group. */
export function listing(items: readonly NavigationItem[], descriptions: Descriptions): string {
  const pages = items.filter((item) => item.children === undefined)
  const groups = items.filter((item) => item.children !== undefined)
  return html`${pages.length > 0 && cards(pages, descriptions)}${groups.map(
    (group) =>
      html`<section class="listing-group"><h2>${group.title}</h2>${cards(readingOrder(group.children ?? []), descriptions)}</section>`,
  )}`.text
}

function cards(items: readonly NavigationItem[], descriptions: Descriptions): Html {
  return html`<ul class="listing">${items.map(
    ({ title, path = '' }) =>
      html`<li><a href="${hrefOf(path)}"><strong>${title}</strong>${described(descriptions.get(path))}</a></li>`,
  )}</ul>`
}

function described(description: string | undefined): Html | false {
  return description !== undefined && description !== '' && html`<span>${description}</span>`
}

/** The 404 page. */
export const missingPage = {
  path: '404.html',
  title: 'Page not found',
  description: '',
  html: '<p>It may have moved, or the link may be wrong.</p><p><a href="/">Go to the start page</a>, or search for what you need.</p>',
  headings: [],
}
