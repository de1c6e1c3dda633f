// @ts-check
// A form that asks the API: errors stand beside their fields, what was typed stays, and while it is being
// sent it is not sent again.
import { explain, Refusal } from './api.js'
import { element } from './elements.js'

/**
 * @typedef {object} FormWanted
 * @property {import('./field.js').Field[]} fields
 * @property {string} label Of the button.
 * @property {string} busy What the button says meanwhile.
 * @property {(values: Record<string, string>) => Promise<void>} send May throw a Refusal.
 * @property {Record<string, { field: string, message?: string }>} [places] Codes of refusals that belong
 *   beside a field.
 */

/** @param {FormWanted} wanted */
export function createForm({ fields, label, busy, send, places = {} }) {
  const fault = element('p', { class: 'fault', role: 'alert' })
  const button = element('button', { type: 'submit', class: 'button' }, label)
  const form = element('form', { method: 'post', novalidate: '' })
  form.append(...fields.map(({ root }) => root), fault, button)
  let isBusy = false

  /** @param {boolean} isNow */
  function setBusy(isNow) {
    isBusy = isNow
    button.textContent = isNow ? busy : label
    // Not `disabled`, which would take the focus away.
    for (const [node, state] of /** @type {const} */ ([
      [button, 'aria-disabled'],
      [form, 'aria-busy'],
    ])) {
      if (isNow) node.setAttribute(state, 'true')
      else node.removeAttribute(state)
    }
  }

  /** Shows where it failed, and goes there. @param {Refusal} refusal */
  function showRefusal(refusal) {
    const place = places[refusal.code]
    const faults = place
      ? [{ path: place.field, message: place.message ?? refusal.message }]
      : refusal.details
    const wrong = fields.filter((field) => {
      const found = faults.find(({ path }) => path === field.name)
      if (found) field.refuse(found.message)
      return found
    })
    wrong[0]?.input.focus()
    if (wrong.length > 0) return
    const kept = refusal.isOutage ? ' What you typed is still here.' : ''
    fault.textContent = explain(refusal) + kept
  }

  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (isBusy) return
    fault.textContent = ''
    const wrong = fields.filter((field) => !field.isReady())
    if (wrong[0]) return wrong[0].input.focus()
    for (const field of fields) field.hide()
    setBusy(true)
    try {
      await send(Object.fromEntries(fields.map((field) => [field.name, field.value()])))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      showRefusal(error)
    } finally {
      setBusy(false)
    }
  })
  return form
}
