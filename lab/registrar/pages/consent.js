// @ts-check
// The page on which the owner of a domain agrees to the records that a platform asks for (Domain Connect). Without a valid
// request there is no button at all.
import { ask, button, html } from './elements.js'

/**
 * @typedef {{ type: string, name: string, value: string }} Shown
 * @typedef {{ provider: string, platform: string, service: string, host: string, adds: Shown[], deletes: Shown[] }} Request
 * @typedef {{ provider: string, refused: string, back: string | null }} Refused
 */

const main = /** @type {HTMLElement} */ (document.querySelector('main'))
const link = { path: location.pathname, query: location.search }

async function start() {
  try {
    /** @type {Request | Refused} */
    const shown = await ask('POST /connect/show', link)
    if ('refused' in shown) showRefusal(shown)
    else showRequest(shown)
  } catch (error) {
    main.replaceChildren(html`<p class="problem">${/** @type {Error} */ (error).message}</p>`)
  }
}

/** @param {Refused} refusal */
function showRefusal({ back, provider, refused }) {
  main.replaceChildren(html`
    <h1>${provider} cannot do this</h1>
    <p class="problem" role="alert">${refused}</p>
    <p>Nothing was changed.</p>
    ${back ? html`<p><a href="${back}">Go back</a></p>` : []}`)
}

/** @param {Request} request */
function showRequest({ adds, deletes, host, platform, provider, service }) {
  /** @type {HTMLElement} */
  const note = html`<p class="problem" role="alert"></p>`
  /** @param {'confirm' | 'cancel'} what @param {HTMLButtonElement} pressed */
  const act = (what, pressed) => {
    pressed.disabled = true
    ask(`POST /connect/${what}`, link).then(
      ({ back }) => {
        if (back) location.assign(back)
        else showEnd(what)
      },
      (error) => {
        pressed.disabled = false
        note.textContent = /** @type {Error} */ (error).message
      },
    )
  }
  /** @type {HTMLButtonElement} */
  const confirm = button('Confirm', () => act('confirm', confirm))
  /** @type {HTMLButtonElement} */
  const cancel = button('Cancel', () => act('cancel', cancel))
  main.replaceChildren(html`
    <p class="soft">${provider}</p>
    <h1>Connect ${host} to ${platform}?</h1>
    <p class="lead">${platform} asks for these records for ${service}.</p>
    ${list('These records are added', adds)}
    ${list('These records are deleted', deletes)}
    ${note}
    <div class="row">${[confirm, cancel]}</div>`)
  document.title = `Connect ${host}? · Hollow Oak Domains`
}

/** @param {string} title @param {Shown[]} records */
function list(title, records) {
  if (records.length === 0) return []
  const rows = records.map(
    ({ name, type, value }) =>
      html`<li><strong>${type}</strong><code>${name}</code><code>${value}</code></li>`,
  )
  return html`<section><h2>${title}</h2><ul class="planned">${rows}</ul></section>`
}

/** @param {'confirm' | 'cancel'} what */
function showEnd(what) {
  main.replaceChildren(html`
    <h1>${what === 'confirm' ? 'The records are set' : 'Nothing was changed'}</h1>
    <p class="lead">You can close this window.</p>`)
}

document.title = 'Change DNS records? · Hollow Oak Domains'
const lab = document.querySelector('.lab')
if (lab) lab.textContent = 'A lab: you are signed in as the owner of every domain'
void start()
