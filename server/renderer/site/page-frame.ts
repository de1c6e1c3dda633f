// The frame of every page: head, header, navigation, table of contents, previous and next page. It works without
// scripts; only search, the theme switch and the copy buttons need them.

import { Html, html, icon } from '../markdown/html.ts'
import { encodePath, hrefOf, markdownPath } from '../sources/addresses.ts'
import { dayInWords } from '../sources/plain-text.ts'
import type { Heading, Page } from '../sources/render-input.ts'
import type { SiteSettings } from '../sources/settings.ts'
import { type Choice, type Editions, nameOfLanguage } from './editions.ts'
import type { NavigationItem } from './navigation.ts'
import type { ThemeAssets } from './theme-assets.ts'

/** What all pages of a site share. */
export interface SiteFrame extends Pick<SiteSettings, 'title' | 'links' | 'feedback'> {
  assets: Pick<ThemeAssets, 'style' | 'font' | 'early' | 'script'>
  /** Address of the icon. */
  icon: string
  /** Address of the styles with the site's own colour, if any. */
  colours: string | undefined
  /** Address of the logo of the header. Without one, it is a letter. */
  logo: string | undefined
  letter: string
  /** Address of the script of pages from which readers can send requests. */
  tryIt: string | undefined
  /** Address of the script of pages with diagrams. */
  diagrams(): string
}

export interface PageSurroundings {
  /** The navigation list for this page. */
  navigation: Html
  /** Without a path: a group of the navigation. */
  crumbs: readonly { title: string; path?: string }[]
  previous?: NavigationItem | undefined
  next?: NavigationItem | undefined
  /** What leads to other languages and versions. */
  editions: ReturnType<Editions['around']>
  /** Address of the index that is searched from this page. */
  search: string
}

export interface FramedPage extends Omit<Page, 'parts'> {
  /** The anchor of its title. */
  titleId?: string | undefined
  /** A sentence below the title, as plain text. */
  lead?: string | undefined
  /** The day of its last change: `2026-11-02`. */
  updated?: string | undefined
  /** Where its source can be edited. */
  edit?: string | undefined
}

/** The whole page. */
export function pageFrame(site: SiteFrame, page: FramedPage, around: PageSurroundings): string {
  const { language } = around.editions.edition
  const toc = page.headings.length > 1 ? contents(page.headings) : undefined
  return html`<!doctype html>
<html lang="${language}"${isFromRight(language) && html` dir="rtl"`}>
${head(site, page, around)}
<body>
<a class="skip" href="#site:content">Skip to content</a>
${header(site, around)}
<div class="columns">
<nav class="sidebar" id="site:menu" popover aria-label="Pages">
<button class="icon-button menu-close" type="button" popovertarget="site:menu" popovertargetaction="hide" autofocus aria-label="Close the menu">${icon('close')}</button>
${around.navigation}
${headerLinks(site, 'sidebar-links')}
</nav>
<main id="site:content">
<article class="page">
${otherVersion(around.editions)}${crumbs(around.crumbs)}
<h1${page.titleId !== undefined && html` id="${page.titleId}"`}>${page.title}</h1>
${page.lead !== undefined && html`<p class="lead">${page.lead}</p>`}
${toc && html`<details class="toc-inline"><summary>On this page</summary>${toc}</details>`}
<div class="prose">
${new Html(page.html)}
</div>
${page.path === '404.html' && html`<nav class="prose" aria-label="Nearest pages" aria-live="polite" data-site-nearest="/sitemap.xml" hidden></nav>`}
</article>
${footer(site, page, around)}
</main>
${toc && html`<nav class="toc" aria-labelledby="site:toc"><h2 id="site:toc">On this page</h2>${toc}</nav>`}
</div>
</body>
</html>
`.text
}

const isFromRight = (language: string) =>
  new Intl.Locale(language).getTextInfo().direction === 'rtl'

function head(site: SiteFrame, page: FramedPage, { editions }: PageSurroundings): Html {
  const title = page.title === site.title ? site.title : `${page.title} · ${site.title}`
  return html`<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
${page.description !== '' && html`<meta name="description" content="${page.description}">`}
<meta property="og:type" content="article">
<meta property="og:site_name" content="${site.title}">
<meta property="og:title" content="${page.title}">
${page.description !== '' && html`<meta property="og:description" content="${page.description}">`}
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${site.icon}">
<link rel="preload" href="${site.assets.font}" as="font" type="font/woff2" crossorigin>
<link rel="stylesheet" href="${site.assets.style}">
${site.colours !== undefined && html`<link rel="stylesheet" href="${site.colours}">`}
${page.markdown !== undefined && html`<link rel="alternate" type="text/markdown" href="${encodePath(markdownPath(page.path))}">`}
${otherAddresses(editions)}<script src="${site.assets.early}"></script>
<script type="module" src="${site.assets.script}"></script>
${page.connectTo !== undefined && html`<script type="module" src="${site.tryIt}"></script>`}
${page.html.includes(' class="diagram"') && html`<script type="module" src="${site.diagrams()}"></script>`}
</head>`
}

/** In other languages, and in the newest version, which search engines should show. */
const otherAddresses = ({ alternates, canonical }: PageSurroundings['editions']): Html =>
  html`${alternates.map(({ name, path }) => html`<link rel="alternate" hreflang="${name}" href="${hrefOf(path)}">\n`)}${canonical !== undefined && html`<link rel="canonical" href="${hrefOf(canonical)}">\n`}`

function header(site: SiteFrame, { editions, search }: PageSurroundings): Html {
  return html`<header class="site-header">
<button class="icon-button menu-button" type="button" popovertarget="site:menu" aria-label="Menu">${icon('menu')}</button>
<a class="brand" href="${hrefOf(editions.home)}">${brandMark(site)}<span class="brand-name">${site.title}</span></a>
<button class="search-button scripted" type="button" data-site-search="${search}" aria-label="Search" aria-keyshortcuts="/ Control+K Meta+K">${icon('search')}<span class="search-word">Search</span><kbd aria-hidden="true">/</kbd></button>
${headerLinks(site, 'header-links')}${choices('Version', editions.versions)}${choices('Language', editions.languages)}
<button class="icon-button theme-button scripted" type="button" data-site-theme aria-pressed="false" aria-label="Dark theme">${icon('sun')}${icon('moon')}</button>
</header>`
}

/** A list of links, which needs no script. Languages have their own names for themselves. */
function choices(title: 'Language' | 'Version', list: readonly Choice[]): Html | false {
  const isLanguage = title === 'Language'
  const tags = list.map(({ name }) => name)
  const labelOf = ({ name }: Choice) => (isLanguage ? nameOfLanguage(name, tags) : name)
  const current = list.find(({ isCurrent }) => isCurrent)
  if (list.length < 2 || !current) return false
  const id = `site:${title.toLowerCase()}s`
  return html`<button class="switch-button" type="button" popovertarget="${id}" aria-label="${title}: ${labelOf(current)}">${isLanguage && icon('globe')}<span>${labelOf(current)}</span>${icon('chevron')}</button>
<ul class="switch" id="${id}" popover>${list.map((each) => {
    const { isCurrent, isSame, name, path } = each
    return html`<li><a href="${hrefOf(path)}"${isLanguage && html` hreflang="${name}"`}${isCurrent && html` aria-current="true"`}><span${isLanguage && html` lang="${name}"`}>${labelOf(each)}</span>${!isSame && html` <small>start page</small>`}</a></li>`
  })}</ul>`
}

const otherVersion = ({ edition, newest }: PageSurroundings['editions']): Html | false =>
  newest !== undefined &&
  html`<p class="callout callout-warning other-version" role="note">This is version ${edition.version}. The current version is ${newest.name}: <a href="${hrefOf(newest.path)}">${newest.isSame ? 'the same page there' : 'its start page'}</a>.</p>`

const brandMark = ({ letter, logo }: SiteFrame): Html =>
  logo === undefined
    ? html`<span class="brand-mark" aria-hidden="true">${letter}</span>`
    : html`<img class="brand-logo" src="${logo}" alt="">`

const headerLinks = ({ links }: SiteFrame, className: string): Html | false =>
  links.length > 0 &&
  html`<ul class="${className}">${links.map(({ title, url }) => html`<li><a href="${url}">${title}</a></li>`)}</ul>`

const crumbs = (items: PageSurroundings['crumbs']): Html | false =>
  items.length > 0 &&
  html`<nav class="crumbs" aria-label="Breadcrumb"><ol>${items.map(({ title, path }) => html`<li>${path === undefined ? title : html`<a href="${hrefOf(path)}">${title}</a>`}</li>`)}</ol></nav>`

const contents = (headings: readonly Heading[]): Html =>
  html`<ul>${headings.map(({ level, id, text }) => html`<li class="toc-${level}"><a href="#${id}">${text}</a></li>`)}</ul>`

function footer(
  { feedback }: SiteFrame,
  page: FramedPage,
  { previous, next }: PageSurroundings,
): Html | false {
  const neighbours = (previous ?? next) !== undefined
  const { edit, markdown, updated } = page
  const isContent = markdown !== undefined
  if (!neighbours && !isContent && updated === undefined) return false
  return html`<footer class="page-footer">
${isContent && feedback && helpful}
${
  neighbours &&
  html`<nav class="neighbours" aria-label="Previous and next page">
${previous && html`<a class="previous" rel="prev" href="${hrefOf(previous.path ?? '')}"><span>Previous</span>${previous.title}</a>`}
${next && html`<a class="next" rel="next" href="${hrefOf(next.path ?? '')}"><span>Next</span>${next.title}</a>`}
</nav>`
}
${(updated ?? edit ?? markdown) !== undefined && html`<p class="page-facts">${updated !== undefined && html`<span>Last updated <time datetime="${updated}">${dayInWords(updated)}</time></span>`}${edit !== undefined && html`<a href="${edit}">Edit this page</a>`}${isContent && html`<a href="${encodePath(markdownPath(page.path))}">This page as Markdown</a>`}</p>`}
</footer>`
}

/** The answer is sent by theme/site.js. */
const helpful = html`<div class="helpful scripted" role="group" aria-labelledby="site:helpful" data-site-helpful>
<span id="site:helpful">Was this page helpful?</span><button type="button" value="yes">Yes</button><button type="button" value="no">No</button>
</div>`
