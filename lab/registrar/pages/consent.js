// @ts-check
// The page on which the owner of a domain agrees to the records that a platform asks for (Domain Connect). Without a valid
// request there is no button at all.
import { ask, button, element } from './elements.js'

/**
 * @typedef {{ type: string, name: string, value: string }} Shown
 * @typedef {{ provider: string, platform: string, service: string, host: string, adds: Shown[], deletes: Shown[] }} Request
 * @typedef {{ provider: string, refused: string, back: string | null }} Refused
 */

const main = /** @type {HTMLElement} */ (document.querySelector('main'))
const link = { path: location.pathname, query: location.search }

async function start() {
  try {
    const shown = /** @type {Request | Refused} */ (await ask('POST /connect/show', link))
    if ('refused' in shown) showRefusal(shown)
    else showRequest(shown)
  } catch (error) {
    main.replaceChildren(element('p', { class: 'problem' }, /** @type {Error} */ (error).message))
  }
}

/** @param {Refused} refusal */
function showRefusal({ back, provider, refused }) {
  main.replaceChildren(
    element('h1', {}, `${provider} cannot do this`),
    element('p', { class: 'problem', role: 'alert' }, refused),
    element('p', {}, 'Nothing was changed.'),
    ...(back ? [element('p', {}, element('a', { href: back }, 'Go back'))] : []),
  )
}

/** @param {Request} request */
function showRequest({ adds, deletes, host, platform, provider, service }) {
  const note = element('p', { class: 'problem', role: 'alert' })
  /** @param {'confirm' | 'cancel'} what @param {HTMLButtonElement} pressed */
  const act = (what, pressed) => {
    pressed.disabled = true
    ask(`POST /connect/${what}`, link).then(
      (answer) => {
        const { back } = /** @type {{ back: string | null }} */ (answer)
        if (back) location.assign(back)
        else showEnd(what)
      },
      (error) => {
        pressed.disabled = false
        note.textContent = /** @type {Error} */ (error).message
      },
    )
  }
  const confirm = element('button', { type: 'button' }, 'Confirm')
  confirm.addEventListener('click', () => act('confirm', confirm))
  /** @type {HTMLButtonElement} */
  const cancel = button('Cancel', () => act('cancel', cancel))
  main.replaceChildren(
    element('p', { class: 'soft' }, provider),
    element('h1', {}, `Connect ${host} to ${platform}?`),
    element('p', { class: 'lead' }, `${platform} asks for these records for ${service}.`),
    ...list('These records are added', adds),
    ...list('These records are deleted', deletes),
    note,
    element('div', { class: 'row' }, confirm, cancel),
  )
  document.title = `Connect ${host}? · Hollow Oak Domains`
}

/** @param {string} title @param {Shown[]} records */
function list(title, records) {
  if (records.length === 0) return []
  const rows = records.map(({ name, type, value }) =>
    element(
      'li',
      {},
      element('strong', {}, type),
      element('code', {}, name),
      element('code', {}, value),
    ),
  )
  return [
    element('section', {}, element('h2', {}, title), element('ul', { class: 'planned' }, ...rows)),
  ]
}

/** @param {'confirm' | 'cancel'} what */
function showEnd(what) {
  main.replaceChildren(
    element('h1', {}, what === 'confirm' ? 'The records are set' : 'Nothing was changed'),
    element('p', { class: 'lead' }, 'You can close this window.'),
  )
}

void start()
