// @ts-check
// Elements and whole views. Whatever is put into the page is text or an element, never markup, so that
// nothing somebody else wrote can become one.

/** @typedef {Node | string} Child */

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Record<string, string>} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  made.append(...children)
  return made
}

/** A link that looks like the main button. @param {string} href @param {string} text */
export function buttonLink(href, text) {
  return element('a', { class: 'button', href }, text)
}

/** @param {string} text @param {() => void} act */
export function actionButton(text, act) {
  const button = element('button', { type: 'button', class: 'button' }, text)
  button.addEventListener('click', act)
  return button
}

let hasShown = false

/**
 * Shows a view in the place of the one before. Who cannot see the change is taken to its heading.
 * @param {string} title
 * @param {Child[]} body
 */
export function show(title, body) {
  const main = /** @type {HTMLElement} */ (document.querySelector('main'))
  const heading = element('h1', { tabindex: '-1' }, title)
  main.replaceChildren(element('div', { class: 'head' }, heading), ...body)
  document.title = `${title} · Animal Store`
  scrollTo(0, 0)
  if (hasShown) heading.focus({ preventScroll: true })
  hasShown = true
}

/** Seen only when it takes a while. */
export function showWaiting() {
  const waiting = element('p', { class: 'waiting', role: 'status' }, 'One moment …')
  document.querySelector('main')?.replaceChildren(waiting)
}

/** Tells it to those who listen. @param {string} text */
export function say(text) {
  const said = document.getElementById('said')
  if (said) said.textContent = text
}
