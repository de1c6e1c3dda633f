// @ts-check
// Elements of the pages. Content is inserted as text or elements, never as markup.

/** @typedef {Node | string} Child */

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Record<string, string>} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function element(name, attributes = {}, ...children) {
  const created = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) created.setAttribute(key, value)
  created.append(...children)
  return created
}

/** @param {string} text @param {() => void} act @param {Record<string, string>} [attributes] */
export function button(text, act, attributes = {}) {
  const created = element('button', { type: 'button', class: 'quiet', ...attributes }, text)
  created.addEventListener('click', act)
  return created
}

/**
 * A list to choose from.
 * @param {[value: string, text: string][]} choices
 * @param {string} chosen
 * @param {Record<string, string>} attributes
 */
export function choice(choices, chosen, attributes) {
  const created = element('select', attributes)
  for (const [value, text] of choices) created.append(element('option', { value }, text))
  created.value = chosen
  return created
}

let fields = 0

/**
 * A label above its field.
 * @param {string} text @param {HTMLInputElement | HTMLSelectElement} field @param {string} [hint]
 */
export function labelled(text, field, hint) {
  field.id = `field-${++fields}`
  const created = element(
    'div',
    { class: `field ${field.name}` },
    element('label', { for: field.id }, text),
    field,
  )
  if (hint) {
    field.setAttribute('aria-describedby', `${field.id}-hint`)
    created.append(element('p', { class: 'hint', id: `${field.id}-hint` }, hint))
  }
  return created
}

/** Shows a problem in a form, at its field. @param {HTMLFormElement} form @param {unknown} error */
export function showProblem(form, error) {
  const { message, path } = /** @type {{ message: string, path?: string }} */ (error)
  const place = form.querySelector('.problem')
  if (place) place.textContent = message
  for (const field of form.querySelectorAll('input, select')) field.removeAttribute('aria-invalid')
  const field = path && form.querySelector(`[name="${path}"]`)
  if (field instanceof HTMLElement) {
    field.setAttribute('aria-invalid', 'true')
    field.focus()
  }
}

/** Announces a text to screen readers. @param {string} text */
export function say(text) {
  const said = document.getElementById('said')
  if (said) said.textContent = text
}
