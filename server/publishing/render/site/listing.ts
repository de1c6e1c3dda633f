// The page of a folder that has none of its own, the start page included: it lists what there is.

import { type Html, html } from '../markdown/html.ts'
import { hrefOf } from '../sources/addresses.ts'
import { type NavigationItem, readingOrder } from './navigation.ts'

/** Plain text by path of the page. */
export type Descriptions = ReadonlyMap<string, string>

/** The items below one another, the groups with a heading each. */
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

/** The page for addresses that lead nowhere. */
export const missingPage = {
  path: '404.html',
  title: 'There is no such page',
  description: '',
  html: '<p>It may have moved, or the link may be wrong.</p><p><a href="/">Go to the start page</a>, or search for what you need.</p>',
  headings: [],
}
