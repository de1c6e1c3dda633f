// @ts-check
// Elements of the pages. Content is inserted as text or elements, never as markup.
// Calls the registrar's API. A refused request throws an error with the field.

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

export class ValidationError extends Error {
  /** @param {string} message @param {number} status @param {string} [path] */
  constructor(message, status, path) {
    super(message)
    this.status = status
    this.path = path
  }
}

/**
 * @typedef {{ id: number, name: string, fullName: string, type: string, ttlSeconds: number, value: string }} ZoneRecord
 * @typedef {{ name: string, address: string, fault: string, delay: number | 'held', serial: number, isCurrent: boolean, dueAt: number | null }} Server
 * @typedef {{ name: string, provider: string, isDnssecBroken: boolean, serial: number, records: ZoneRecord[], servers: Server[] }} Domain
 * @typedef {{ id: string, title: string, about: string, hasAlias: boolean, isHelpful: boolean, servers: string[] }} Provider
 * @typedef {{ platformHost: string, topLevels: string[], providers: Provider[], recordTypes: string[], faults: string[], proxyModes: string[], proxyMode: string, otherPlatformHost: string, otherPlatformCaa: string[], otherPlatform: { caa: string }, addresses: Record<string, string>, ports: Record<string, number>, scenarios: { id: string, title: string, about: string }[], domains: { name: string, provider: string, records: number, isCurrent: boolean }[] }} Lab
 */

/** @param {string} route Such as `GET /lab`. @param {object} [body] @returns {Promise<unknown>} */
export async function ask(route, body) {
  const [method = '', path = ''] = route.split(' ')
  /** @type {Response} */
  let response
  try {
    response = await fetch(`/api${path}`, {
      method,
      headers: body ? { 'Content-Type': 'application/json' } : {},
      body: body ? JSON.stringify(body) : null,
    })
  } catch {
    throw new ValidationError('The lab does not answer. Is it still running?', 0)
  }
  if (response.status === 204) return undefined
  const answer = await response.json()
  if (response.ok) return answer
  throw new ValidationError(answer.message, answer.status, answer.details?.[0]?.path)
}
