// @ts-check
// The theme switch, copy buttons, chosen tabs and languages of request samples, the current entry of the table of contents,
// the answer to “Was this page helpful?”; and the search, and the nearest pages of an address without one, which are loaded
// on demand.
import { element } from './element.js'

const root = document.documentElement

/** @param {string} selector @returns {HTMLElement | null} */
const find = (selector) => document.querySelector(selector)

/** @param {string} name @param {string} choice */
function keep(name, choice) {
  try {
    localStorage.setItem(name, choice)
  } catch {
    // Without storage the choice ends with the page.
  }
}

function startTheme() {
  const button = find('[data-site-theme]')
  if (!button) return
  const system = matchMedia('(prefers-color-scheme: dark)')
  const isDark = () => (root.dataset.theme ?? (system.matches ? 'dark' : 'light')) === 'dark'
  /** @type {NodeListOf<HTMLSourceElement>} */
  const sources = document.querySelectorAll('source[media*="prefers-color-scheme"]')
  const pictures = Array.from(sources, (source) => /** @type {const} */ ([source, source.media]))
  const show = () => {
    button.setAttribute('aria-pressed', String(isDark()))
    // Pictures for the theme of the system follow that of the page.
    for (const [source, media] of pictures) {
      const isWanted = /dark/.test(media) === isDark()
      source.media = isWanted ? media.replace(/\(prefers-color-scheme[^)]*\)/, 'all') : 'not all'
    }
  }
  button.addEventListener('click', () => {
    const theme = isDark() ? 'light' : 'dark'
    root.dataset.theme = theme
    keep('theme', theme)
    show()
  })
  system.addEventListener('change', show)
  show()
}

/** Without lines that were removed or are hidden, and without prompts. @param {Element} source */
function textToCopy(source) {
  const copied = /** @type {Element} */ (source.cloneNode(true))
  const isShown = source.parentElement?.querySelector('.code-more :checked')
  for (const line of copied.querySelectorAll(isShown ? '.line-del' : '.line-del, .line-hidden')) {
    if (line.nextSibling?.nodeType === Node.TEXT_NODE && line.matches('.line-del'))
      line.nextSibling.textContent = line.nextSibling.textContent?.replace(/^\n/, '') ?? ''
    line.remove()
  }
  const text = copied.textContent ?? ''
  return source.closest('.code-console') ? text.replaceAll(/^(?:\$|>>>|\.\.\.) /gm, '') : text
}

/** @param {Element} block @param {Element} source */
function addCopyButton(block, source) {
  const button = element('button', { type: 'button', class: 'copy' }, 'Copy')
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(textToCopy(source))
      button.textContent = 'Copied'
    } catch {
      getSelection()?.selectAllChildren(source)
      button.textContent = 'Selected'
    }
    setTimeout(() => button.replaceChildren('Copy'), 2000)
  })
  block.append(button)
}

const maxKeptTabs = 30

/**
 * The tabs, such as languages of request samples, that were chosen last, newest first, are shown on all pages, wherever there
 * is one of the same name.
 */
function startTabs() {
  /** @type {NodeListOf<HTMLInputElement>} */
  const inputs = document.querySelectorAll('.tab > input')
  if (inputs.length === 0) return
  /** @type {string[]} */
  let chosen = []
  try {
    chosen = JSON.parse(localStorage.getItem('tabs') ?? '[]')
  } catch {
    // The first ones are shown.
  }
  const nameOf = (/** @type {HTMLInputElement} */ input) => input.value.trim().toLowerCase()
  for (const name of [...chosen].reverse()) {
    for (const input of inputs) if (nameOf(input) === name) input.checked = true
  }
  for (const input of inputs) {
    input.addEventListener('change', () => {
      const { top } = input.getBoundingClientRect()
      const name = nameOf(input)
      chosen = [name, ...chosen.filter((other) => other !== name)].slice(0, maxKeptTabs)
      keep('tabs', JSON.stringify(chosen))
      for (const other of inputs)
        if (other !== input && nameOf(other) === name) other.checked = true
      // Other tabs, above, may have another height now.
      scrollBy({ top: input.getBoundingClientRect().top - top, behavior: 'instant' })
    })
  }
  /** Shows what the address leads to. */
  const reveal = () => {
    const target = document.querySelector(':target')
    for (const input of inputs) {
      if (input.parentElement?.nextElementSibling?.contains(target)) input.checked = true
    }
    if (target?.closest('.tab-panel')) target.scrollIntoView()
  }
  addEventListener('hashchange', reveal)
  reveal()
}

/** Only elements that scroll can be focused with the keyboard. */
function startScrollers() {
  const watch = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      const { clientHeight, clientWidth, scrollHeight, scrollWidth } = target
      const isScrolled = scrollWidth > clientWidth || scrollHeight > clientHeight
      target.setAttribute('tabindex', isScrolled ? '0' : '-1')
    }
  })
  // The body of a response changes while its box keeps its size: it can always be focused (try-it-form.ts).
  const scrollers = document.querySelectorAll('pre.code:not([role]), .table')
  for (const scroller of scrollers) watch.observe(scroller)
}

/** Scrolls a column until the element is in view. @param {Element} element @param {Element} column */
function showInside(element, column) {
  const { top } = element.getBoundingClientRect()
  const box = column.getBoundingClientRect()
  if (top > box.bottom - 60 || top < box.top) column.scrollTop += top - box.top - box.height / 2
}

function startContents() {
  const contents = find('.toc')
  if (!contents) return
  const links = [...contents.querySelectorAll('a')]
  const isPassed = (/** @type {HTMLAnchorElement} */ { hash }) => {
    const heading = document.getElementById(decodeURIComponent(hash.slice(1)))
    return heading !== null && heading.getBoundingClientRect().top < 120
  }
  // Browsers send these events once for each frame.
  const update = () => {
    const isEnd = scrollY > 0 && innerHeight + scrollY >= document.body.scrollHeight - 2
    const current = isEnd ? links.at(-1) : links.findLast(isPassed)
    contents.querySelector('[aria-current]')?.removeAttribute('aria-current')
    current?.setAttribute('aria-current', 'location')
    if (current) showInside(current, contents)
  }
  for (const event of ['scroll', 'resize']) addEventListener(event, update, { passive: true })
  update()
}

function startSearch() {
  const button = find('[data-site-search]')
  if (!button) return
  const load = () => import('./search.js')
  const open = () => load().then(({ openSearch }) => openSearch())
  button.addEventListener('click', open)
  button.addEventListener('pointerenter', load, { once: true })
  addEventListener('keydown', (event) => {
    const { altKey, ctrlKey, key, metaKey, target } = event
    const fields = 'input, textarea, select, [contenteditable]'
    // After a dialog is closed, its field keeps the focus for a moment.
    const isTyping = target instanceof Element && target.closest(fields)?.checkVisibility()
    const isCommand = ctrlKey || metaKey
    const isShortcut = isCommand ? key.toLowerCase() === 'k' : key === '/' && !isTyping
    if (altKey || !isShortcut) return
    event.preventDefault()
    void open()
  })
}

/** All that can have the focus, but neither the main region nor the title. */
const behindMenu = '.skip, .site-header > :not(.menu-button), .page > :not(h1), .page-footer, .toc'

/** Scrolls the navigation to the current page. While it is open as a drawer, the focus stays in it. */
function startMenu() {
  const menu = find('.sidebar')
  if (!menu) return
  const current = menu.querySelector('[aria-current="page"]')
  const showCurrent = () => current && showInside(current, menu)
  showCurrent()
  menu.addEventListener('toggle', showCurrent)
  // Before it closes, so that the button that opened it can have the focus again.
  menu.addEventListener('beforetoggle', ({ newState }) => {
    for (const part of document.querySelectorAll(behindMenu))
      part.toggleAttribute('inert', newState === 'open')
  })
  matchMedia('(max-width: 56rem)').addEventListener('change', () => menu.hidePopover())
  menu.addEventListener('click', ({ target }) => {
    if (target instanceof Element && target.closest('a')) menu.hidePopover()
  })
}

/** Counts the answer, and nothing about the visitor, who may refuse it (Global Privacy Control). */
function startHelpful() {
  const question = find('[data-site-helpful]')
  if (!question) return
  if ('globalPrivacyControl' in navigator && navigator.globalPrivacyControl) question.remove()
  for (const button of question.querySelectorAll('button')) {
    button.addEventListener('click', () => {
      const query = new URLSearchParams({ answer: button.value, page: location.pathname })
      fetch(`/_site/helpful?${query}`, { credentials: 'omit', keepalive: true }).catch(() => {})
      question.textContent = 'Thank you for your answer.'
      question.removeAttribute('aria-labelledby')
      // Where the button was, for those who go on by keyboard.
      question.tabIndex = -1
      question.focus()
    })
  }
}

for (const block of document.querySelectorAll('.code-block, .api-endpoint')) {
  const source = block.querySelector('pre, .api-path')
  if (source) addCopyButton(block, source)
}
startTheme()
startTabs()
startScrollers()
startContents()
startSearch()
startMenu()
startHelpful()
if (find('[data-site-nearest]')) void import('./nearest-pages.js')
