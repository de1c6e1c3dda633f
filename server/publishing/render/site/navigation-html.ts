// The navigation as it stands on one page: the groups of the current page are open. On large sites the
// others are only links, and long groups are cut, so that 1,000 pages do not each name 1,000 pages.

import { Html, html } from '../markdown/html.ts'
import { icon } from '../markdown/icons.ts'
import { hrefOf } from '../sources/addresses.ts'
import { type NavigationItem, readingOrder } from './navigation.ts'

const fullUpTo = 250
const openUpTo = 60
const longestGroup = 120
const around = 40

/** Makes the lists of links, page by page. */
export function createNavigationHtml(items: readonly NavigationItem[]): (path: string) => Html {
  const total = readingOrder(items).length
  // A set keeps its order: the first path is where reading begins.
  const paths = new Map<NavigationItem, Set<string>>()
  const remember = (item: NavigationItem) => {
    paths.set(item, new Set(readingOrder([item]).map(({ path = '' }) => path)))
    item.children?.forEach(remember)
  }
  items.forEach(remember)
  const holds = (item: NavigationItem, path: string) => paths.get(item)?.has(path) === true
  const firstOf = (item: NavigationItem | undefined) =>
    item && paths.get(item)?.values().next().value

  function list(children: readonly NavigationItem[], path: string): Html {
    const current = children.findIndex((item) => holds(item, path))
    const isLong = children.length > longestGroup
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
    const isCurrent = holds(item, path)
    const first = firstOf(item)
    if (total > fullUpTo && !isCurrent && first !== undefined) {
      return html`<li><a class="nav-closed" href="${hrefOf(first)}">${item.title}${icon('chevron')}</a></li>`
    }
    const open = new Html(isCurrent || total <= openUpTo ? ' open' : '')
    return html`<li><details${open}><summary>${item.title}${icon('chevron')}</summary>${list(item.children, path)}</details></li>`
  }

  return (path) => list(items, path)
}

function link({ title, path = '', badge }: NavigationItem, current: string): Html {
  const mark = new Html(path === current ? ' aria-current="page"' : '')
  return html`<a href="${hrefOf(path)}"${mark}><span>${title}</span>${badge !== undefined && html` <span class="nav-badge nav-badge-${badge.toLowerCase()}">${badge}</span>`}</a>`
}

function more(title: string, path: string | undefined): Html | false {
  return (
    path !== undefined && html`<li><a class="nav-more" href="${hrefOf(path)}">${title}</a></li>`
  )
}
