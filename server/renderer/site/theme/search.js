// @ts-check
// The search dialog: results by page and heading. The index is loaded when the dialog opens first; its content is never
// inserted as HTML.
import MiniSearch from 'minisearch'
import { namesOf, placedWords, wordsOf } from '../search-words.js'
import { element } from './element.js'

/**
 * @typedef {{ id: string, title: string, heading: string, text: string, queryTerms: string[], terms: string[],
 *   score: number, isOne?: true }} Result
 * @typedef {{ search(query: object, options: object): unknown[] }} Index
 */

const maxPages = 8
const maxParts = 4
const snippetLength = 140
const maxTyped = 300
/** Only the first ones by their words are compared with what was typed. */
const maxRanked = 60

/** Of the index. */
const address = document.querySelector('[data-site-search]')?.getAttribute('data-site-search') ?? ''
/** @type {Promise<Index> | undefined} */
let loading
/** As in search-index.ts. */
const words = { tokenize: wordsOf, processTerm: (/** @type {string} */ word) => word }

/** Once nothing was typed for so long. */
const reportAfterMs = 1500

/**
 * Tells the owner of the site what was not found, and nothing about the visitor, who may refuse it (Global Privacy
 * Control).
 * @param {string} text
 */
function reportNothing(text) {
  if ('globalPrivacyControl' in navigator && navigator.globalPrivacyControl) return
  if (text.length < 3) return
  const query = new URLSearchParams({ q: text.slice(0, 100) })
  fetch(`/_site/nothing-found?${query}`, { credentials: 'omit', keepalive: true }).catch(() => {})
}

function load() {
  loading ??= fetch(address)
    .then((response) => {
      if (!response.ok) throw new Error(String(response.status))
      return response.json()
    })
    .then(({ options, index }) => MiniSearch.loadJS(index, { ...options, ...words }))
  loading.catch(() => {
    loading = undefined
  })
  return loading
}

const markup = `<dialog class="search" aria-label="Search">
<form class="search-head" method="dialog">
<input class="search-input" placeholder="Search" aria-label="Search this site"
  role="combobox" aria-autocomplete="list" aria-expanded="false" aria-controls="site:results"
  autocomplete="off" autocapitalize="off" spellcheck="false" enterkeyhint="go">
<button class="search-close">Close</button>
</form>
<div class="search-body">
<p class="search-status" role="status"></p>
<div class="search-results" id="site:results" role="listbox" aria-label="Results"></div>
</div>
<p class="search-hints" aria-hidden="true"><span><kbd>↑</kbd><kbd>↓</kbd> to move</span>
<span><kbd>↵</kbd> to open</span> <span><kbd>esc</kbd> to close</span></p>
</dialog>`

document.body.insertAdjacentHTML('beforeend', markup)
const find = (/** @type {string} */ selector) => document.querySelector(selector)
const dialog = /** @type {HTMLDialogElement} */ (find('.search'))
const input = /** @type {HTMLInputElement} */ (find('.search-input'))
const results = /** @type {HTMLElement} */ (find('.search-results'))
const status = /** @type {HTMLElement} */ (find('.search-status'))

/** @type {HTMLElement[]} */
let options = []
let active = -1
let request = 0
/** @type {ReturnType<typeof setTimeout> | undefined} */
let report

/** @param {number} index */
function activate(index) {
  options[active]?.setAttribute('aria-selected', 'false')
  active = index
  const option = options[active]
  option?.setAttribute('aria-selected', 'true')
  option?.scrollIntoView({ block: 'nearest' })
  input.setAttribute('aria-activedescendant', option?.id ?? '')
}

async function update() {
  const text = input.value.trim().slice(0, maxTyped).normalize('NFC')
  clearTimeout(report)
  const current = ++request
  if (!loading && text !== '') status.textContent = 'Loading…'
  const hits = await load()
    .then((index) => (text === '' ? [] : searchFor(index, text)))
    .catch(() => undefined)
  if (current !== request) return
  options = []
  results.replaceChildren(...byPage(hits ?? []).map((group) => groupView(group, options)))
  const count = options.length
  status.textContent = hits ? '' : 'The search could not be loaded. Type again to retry.'
  if (count > 0) status.textContent = `${count} result${count > 1 ? 's' : ''}`
  if (hits && text !== '' && count === 0) {
    status.textContent = `Nothing found for “${text}”.`
    report = setTimeout(() => reportNothing(text), reportAfterMs)
  }
  // Visible results are counted for screen readers only.
  status.classList.toggle('unseen', count > 0)
  results.hidden = count === 0
  input.setAttribute('aria-expanded', String(count > 0))
  activate(count > 0 ? 0 : -1)
}

input.addEventListener('input', update)
input.addEventListener('keydown', (event) => {
  const step = Number(event.key === 'ArrowDown') - Number(event.key === 'ArrowUp')
  if (step !== 0 && options.length > 0) {
    event.preventDefault()
    activate((active + step + options.length) % options.length)
  } else if (event.key === 'Enter' && !event.isComposing) {
    event.preventDefault()
    options[active]?.click()
  }
})
dialog.addEventListener('click', ({ target }) => {
  if (target === dialog || (target instanceof Element && target.closest('a'))) dialog.close()
})

/** Shows the dialog. */
export function openSearch() {
  if (!dialog.open) dialog.showModal()
  input.select()
  void update()
}

/**
 * Searches for all words, where long words and the last one may be prefixes; then with one and with more typing errors;
 * then for any of the long words. Of a name such as `build.outDir`, the whole or all of its parts.
 * @param {Index} index
 * @param {string} text
 */
function searchFor(index, text) {
  const names = namesOf(text)
  const last = names.at(-1)?.parts.at(-1)
  const inner = new Set(names.flatMap((name) => name.parts.slice(0, -1)))
  const isPrefix = (/** @type {string} */ word) =>
    word === last || (isLong(word) && !inner.has(word))
  const all = names.map(({ parts, whole }) => {
    const together = { combineWith: 'AND', queries: parts }
    const named = whole === undefined ? [] : [{ queries: [whole], prefix: true }]
    return parts.length === 1 ? together : { combineWith: 'OR', queries: [...named, together] }
  })
  const parts = names.flatMap((name) => name.parts)
  const letters = (/** @type {number} */ max) => (/** @type {string} */ word) =>
    isLong(word) && Math.min(max, Math.floor(word.length / 3))
  const attempts = [
    ...[0, 1, 2].map((max) => ({ combineWith: 'AND', queries: all, fuzzy: letters(max) })),
    { combineWith: 'OR', queries: parts.filter((word) => isLong(word) || isPair(word)) },
  ]
  const options = {
    boost: { title: 3, heading: 4 },
    boostDocument: weightOf,
    prefix: isPrefix,
    // What is searched for are words already.
    ...{ ...words, tokenize: (/** @type {string} */ word) => [word] },
  }
  for (const attempt of attempts) {
    const matches = /** @type {Result[]} */ (index.search(attempt, options))
    // Two characters alone are in many words.
    const found = matches.filter(
      ({ queryTerms }) => !queryTerms.every(isPair) || queryTerms.length * 2 >= parts.length,
    )
    if (found.length > 0) return literalFirst(found.slice(0, maxRanked), text)
  }
  return []
}

/**
 * Pages rank above those of the reference, and both above parts of pages.
 * @param {string} id @param {string} _ @param {any} stored
 */
const weightOf = (id, _, stored) => (id.includes('#') ? 1 : stored.isOne ? 1.6 : 2)
const isLong = (/** @type {string} */ word) => word.length > 3
/** Of a script without spaces (search-words.js). */
const isPair = (/** @type {string} */ word) =>
  word.length === 2 && namesOf(word)[0]?.whole === undefined

/** Those that have the words in a row, or only them as their name, first. @param {Result[]} results @param {string} typed */
function literalFirst(results, typed) {
  const plain = (/** @type {string} */ text) =>
    ` ${text.toLowerCase()} `.replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
  const literal = plain(typed)
  // The last word may be a part of one.
  const has = (/** @type {string} */ text) => text.includes(literal.trim())
  for (const result of results) {
    const name = plain(result.heading || result.title)
    result.score *= name === literal ? 4 : [name, plain(result.text)].some(has) ? 2 : 1
  }
  return results.sort((a, b) => b.score - a.score)
}

/** The best parts of the best pages. @param {Result[]} found @returns {[string, Result[]][]} */
function byPage(results) {
  const pages = Map.groupBy(results, ({ id }) => id.split('#', 1)[0] ?? '')
  const best = [...pages].slice(0, maxPages)
  return best.map(([page, parts]) => [page, parts.slice(0, parts[0]?.isOne ? 1 : maxParts)])
}

/**
 * @param {[string, Result[]]} group
 * @param {HTMLElement[]} options
 */
function groupView([page, parts], options) {
  const title = parts[0]?.title ?? page
  const links = parts.map((part) => {
    const isPart = part.heading !== ''
    const heading = marked(isPart ? part.heading : part.title, part.terms)
    const text = marked(snippet(part.text, part.terms), part.terms)
    const link = element(
      'a',
      {
        ...{ href: part.id, role: 'option', id: `site:result-${options.length}` },
        ...{ class: isPart ? 'search-part' : '', 'aria-selected': 'false', tabindex: '-1' },
      },
      element('span', { class: 'search-heading' }, ...heading),
      element('span', { class: 'search-text' }, ...text),
    )
    options.push(link)
    return link
  })
  const name = element('p', { class: 'search-page', 'aria-hidden': 'true' }, title)
  // A result for the page itself has its title already.
  const all = parts[0]?.heading === '' ? links : [name, ...links]
  return element('div', { role: 'group', 'aria-label': title, class: 'search-group' }, ...all)
}

/** The part of the text with the most different words. @param {string} text @param {string[]} terms */
function snippet(text, terms) {
  const hits = hitsIn(text, terms).slice(0, 200)
  const worths = hits.map(({ start: from }) => {
    const to = from + snippetLength - 20
    const shown = hits.filter(({ end, start }) => start >= from && end <= to)
    return new Set(shown.map(({ word }) => word)).size
  })
  const best = hits[worths.indexOf(Math.max(...worths))]?.start ?? 0
  // From the start of a word, if one is near.
  const space = text.lastIndexOf(' ', best - 20) + 1
  const start = best < 60 ? 0 : Math.max(space, best - 60)
  const end = start + snippetLength
  return (start > 0 ? '…' : '') + text.slice(start, end) + (end < text.length ? '…' : '')
}

/** @param {string} text @param {string[]} terms */
function hitsIn(text, terms) {
  const known = new Set(terms)
  return placedWords(text).filter(({ word }) => known.has(word))
}

/** The text with the found words in mark elements. Words may share characters. @param {string} text @param {string[]} terms */
function marked(text, terms) {
  const marks = new Array(text.length).fill(' ')
  for (const { end, start } of hitsIn(text, terms)) marks.fill('x', start, end)
  return [...marks.join('').matchAll(/x+| +/g)].map(({ 0: run, index }) => {
    const piece = text.slice(index, index + run.length)
    return run.startsWith('x') ? element('mark', {}, piece) : piece
  })
}
