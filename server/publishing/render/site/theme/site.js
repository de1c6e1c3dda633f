// @ts-check
// The theme switch, copy buttons, the language of request samples, the current entry of the table of contents, and the
// search, which is loaded on demand.

const root = document.documentElement

/** @param {string} selector @returns {HTMLElement | null} */
const find = (selector) => document.querySelector(selector)

function startTheme() {
  const button = find('[data-site-theme]')
  if (!button) return
  const system = matchMedia('(prefers-color-scheme: dark)')
  const isDark = () => (root.dataset.theme ?? (system.matches ? 'dark' : 'light')) === 'dark'
  const show = () => button.setAttribute('aria-pressed', String(isDark()))
  button.addEventListener('click', () => {
    const theme = isDark() ? 'light' : 'dark'
    root.dataset.theme = theme
    try {
      localStorage.setItem('theme', theme)
    } catch {
      // Without storage the choice ends with the page.
    }
    show()
  })
  system.addEventListener('change', show)
  show()
}

/** @param {HTMLElement} pre */
function addCopyButton(pre) {
  let block = pre.closest('.code-block')
  if (!block) {
    block = document.createElement('div')
    block.className = 'code-block'
    pre.replaceWith(block)
    block.append(pre)
  }
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.textContent = 'Copy'
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(pre.textContent ?? '')
      button.textContent = 'Copied'
    } catch {
      getSelection()?.selectAllChildren(pre)
      button.textContent = 'Selected'
    }
    clearTimeout(timer)
    timer = setTimeout(() => {
      button.textContent = 'Copy'
    }, 2000)
  })
  block.append(button)
}

/** The language of request samples that was chosen last, on any page. */
function startLanguages() {
  /** @type {NodeListOf<HTMLInputElement>} */
  const choices = document.querySelectorAll('.api-languages input')
  for (const choice of choices) {
    choice.addEventListener('change', () => {
      try {
        localStorage.setItem('language', choice.value)
      } catch {
        // Without storage the choice ends with the page.
      }
    })
  }
  try {
    const chosen = localStorage.getItem('language')
    for (const choice of choices) if (choice.value === chosen) choice.checked = true
  } catch {
    // The first one is shown.
  }
}

/** Only elements that scroll horizontally can be focused with the keyboard. */
function startScrollers() {
  const watch = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      if (!(target instanceof HTMLElement)) continue
      if (target.scrollWidth > target.clientWidth) target.tabIndex = 0
      else target.removeAttribute('tabindex')
    }
  })
  for (const scroller of document.querySelectorAll('pre.code, .table')) watch.observe(scroller)
}

function startContents() {
  /** @type {Map<Element, Element>} */
  const links = new Map()
  for (const link of document.querySelectorAll('.toc a')) {
    const id = decodeURIComponent(link.getAttribute('href')?.slice(1) ?? '')
    const heading = document.getElementById(id)
    if (heading) links.set(heading, link)
  }
  if (links.size === 0) return
  const update = () => {
    const isEnd = innerHeight + scrollY >= document.body.scrollHeight - 2
    const passed = [...links.keys()].filter((heading) => heading.getBoundingClientRect().top < 120)
    const current = isEnd ? [...links.keys()].at(-1) : passed.at(-1)
    for (const [heading, link] of links) {
      if (heading === current) link.setAttribute('aria-current', 'location')
      else link.removeAttribute('aria-current')
    }
  }
  let isPlanned = false
  const plan = () => {
    if (isPlanned) return
    isPlanned = true
    requestAnimationFrame(() => {
      isPlanned = false
      update()
    })
  }
  addEventListener('scroll', plan, { passive: true })
  addEventListener('resize', plan, { passive: true })
  update()
}

function startSearch() {
  const button = find('[data-site-search]')
  const source = button?.dataset.siteSearch
  if (!button || !source) return
  const load = () => import('./search.js')
  const open = async () => {
    const { openSearch } = await load()
    openSearch(source)
  }
  button.addEventListener('click', open)
  button.addEventListener('pointerenter', () => void load(), { once: true })
  addEventListener('keydown', (event) => {
    // After a dialog is closed, its field keeps the focus for a moment.
    const isTyping =
      event.target instanceof Element &&
      event.target.closest('input, textarea, select, [contenteditable]')?.checkVisibility()
    const isSlash =
      event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping
    const isK = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey
    if (!isSlash && !isK) return
    event.preventDefault()
    void open()
  })
}

/** Scrolls the navigation to the current page. */
function startMenu() {
  const menu = find('.sidebar')
  const current = menu?.querySelector('[aria-current="page"]')
  if (!menu || !current) return
  const centre = () => {
    const { top } = current.getBoundingClientRect()
    const box = menu.getBoundingClientRect()
    if (top > box.bottom - 60 || top < box.top) menu.scrollTop += top - box.top - box.height / 2
  }
  centre()
  menu.addEventListener('toggle', centre)
  menu.addEventListener('click', (event) => {
    if (
      event.target instanceof Element &&
      event.target.closest('a') &&
      menu.matches(':popover-open')
    )
      menu.hidePopover()
  })
}

for (const pre of document.querySelectorAll('pre.code')) {
  if (pre instanceof HTMLElement) addCopyButton(pre)
}
startTheme()
startLanguages()
startScrollers()
startContents()
startSearch()
startMenu()
