// @ts-check
// What the lab's pages share: elements, into which content is inserted as text or nodes, never as markup, and requests to the
// registrar's API.

/**
 * What a template shows: one element, or a fragment of several. Values are inserted as text or nodes, never as markup.
 * @param {TemplateStringsArray} strings @param {...(string | number | Node | Node[])} values
 * @returns {any} A node.
 */
export function html(strings, ...values) {
  const template = document.createElement('template')
  const isText = values.map((value) => typeof value !== 'object')
  const texts = values.map((value, i) =>
    isText[i] ? escaped(String(value)) : '<template></template>',
  )
  const raw = strings.map((text) => text.replaceAll(/\n\s*/g, ''))
  template.innerHTML = String.raw({ raw }, ...texts)
  const { content } = template
  const nodes = values.filter((_, i) => !isText[i])
  for (const [i, place] of content.querySelectorAll('template').entries())
    place.replaceWith(.../** @type {Node[]} */ ([nodes[i]].flat()))
  return content.childNodes.length === 1 ? content.firstChild : content
}

/** @param {string} text */
const escaped = (text) => text.replaceAll(/[&<>"]/g, (found) => `&#${found.charCodeAt(0)};`)

/** @param {string} text @param {() => void} act @param {string} [label] For screen readers. */
export function button(text, act, label) {
  /** @type {HTMLButtonElement} */
  const created = html`<button type="button">${text}</button>`
  if (label !== undefined) created.ariaLabel = label
  created.addEventListener('click', act)
  return created
}

/** A button that asks before it acts. @param {string} text @param {string} question @param {() => void} act */
export function confirming(text, question, act) {
  let isAsked = false
  const created = button(text, () => {
    if (isAsked) act()
    isAsked = true
    created.textContent = question
  })
  return created
}

/**
 * A list to choose from. A value without a text of its own is its own text.
 * @param {string} name @param {string[]} values @param {string} chosen
 * @param {Record<string, string>} [texts] @param {(value: string) => void} [change]
 */
export function choice(name, values, chosen, texts = {}, change = () => {}) {
  const created = Object.assign(document.createElement('select'), { name })
  const options = values.map(
    (value) => new Option(texts[value] ?? value.replaceAll('_', ' '), value),
  )
  created.append(...options)
  created.value = chosen
  created.addEventListener('change', () => change(created.value))
  return created
}

/**
 * A list whose choice goes to a route of the API at once.
 * @param {string} route @param {string} name @param {string[]} values @param {string} chosen
 * @param {Record<string, string>} texts @param {(answer: any) => void} done
 */
export function knob(route, name, values, chosen, texts, done) {
  const change = (/** @type {string} */ value) => void ask(route, { [name]: value }).then(done)
  return choice(name, values, chosen, texts, change)
}

/** A field for a name, which browsers do not correct. @param {string} name @param {Record<string, string | boolean>} [more] */
export function input(name, more = {}) {
  /** @type {HTMLInputElement} */
  const created = html`<input autocomplete="off" autocapitalize="none" spellcheck="false">`
  return Object.assign(created, { name, ...more })
}

let fields = 0

/**
 * A label above its field.
 * @param {string} text @param {HTMLInputElement | HTMLSelectElement} field @param {string} [hint]
 */
export function labelled(text, field, hint) {
  field.id = `field-${++fields}`
  const hintId = `${field.id}-hint`
  if (hint) field.setAttribute('aria-describedby', hintId)
  return html`
    <div class="field ${field.name}">
      <label for="${field.id}">${text}</label>
      ${field}
      ${hint ? html`<p class="hint" id="${hintId}">${hint}</p>` : []}
    </div>`
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
 * @typedef {{ name: string, address: string, fault: string, delay: number | 'held', serial: number, isCurrent: boolean,
 *   dueAt: number | null }} Server
 * @typedef {{ name: string, provider: string, isDnssecBroken: boolean, serial: number, records: ZoneRecord[],
 *   servers: Server[] }} Domain
 * @typedef {{ id: string, title: string, about: string, hasAlias: boolean, isHelpful: boolean, servers: string[] }} Provider
 * @typedef {{ platformHost: string, topLevels: string[], providers: Provider[], recordTypes: string[], faults: string[],
 *   proxyModes: string[], proxyMode: string, otherPlatformHost: string, otherPlatformCaa: string[],
 *   otherPlatform: { caa: string }, ports: Record<string, number>,
 *   addresses: { server: string, otherPlatform: string, proxy: string, resolver: string },
 *   scenarios: { id: string, title: string, about: string }[],
 *   domains: { name: string, provider: string, records: number, isCurrent: boolean }[] }} Lab
 */

/**
 * Calls the registrar's API. A refused request throws a ValidationError, with the field.
 * @param {string} route Such as `GET /lab`. @param {object} [body] @returns {Promise<any>}
 */
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
