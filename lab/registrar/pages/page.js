// @ts-check
// Shows the start page, or the domain after the # in the address.

import { showDomain } from './domain-view.js'
import {
  ask,
  button,
  choice,
  html,
  input,
  labelled,
  say,
  showProblem,
  ValidationError,
} from './elements.js'

/** @typedef {import('./elements.js').Lab} Lab */

const main = /** @type {HTMLElement} */ (document.querySelector('main'))
let stop = () => {}

async function start() {
  stop()
  stop = () => {}
  const name = decodeURIComponent(location.hash.slice(1))
  try {
    const lab = /** @type {Lab} */ (await ask('GET /lab'))
    if (name) stop = await showDomain(main, lab, name)
    else await showStart(lab)
    document.title = `${name || 'Your domains'} · Hollow Oak Domains`
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error
    if (error.status === 404) location.hash = ''
    else
      main.replaceChildren(
        html`<p class="problem">${error.message}</p>`,
        button('Try again', start),
      )
  }
}

/** @param {Lab} lab */
async function showStart(lab) {
  const connect = await connectSection()
  main.replaceChildren(html`
    <h1>A good name, grown slowly</h1>
    <p class="lead">
      Free domains that exist on this machine only, with every problem that real ones have.
    </p>
    ${[purchaseForm(lab), domainList(lab), networkSection(lab), connect]}`)
}

/** @param {Lab} lab */
function purchaseForm(lab) {
  const label = input('name', { required: true, placeholder: 'mossy' })
  const ending = choice('ending', lab.topLevels, 'example', (end) => `.${end}`)
  const providers = lab.providers.map(
    ({ about, id, title }) => html`
      <label class="option">
        <input type="radio" name="provider" value="${id}"><span><strong>${title}</strong> ${about}</span>
      </label>`,
  )
  /** @type {HTMLFormElement} */
  const form = html`
    <form novalidate>
      <h2>Buy a domain</h2>
      <div class="row">${[labelled('Name', label), labelled('Ending', ending)]}</div>
      <fieldset><legend>DNS provider</legend>${providers}</fieldset>
      <p class="problem" role="alert"></p>
      <button>Buy domain</button>
    </form>`
  form.querySelector('[type="radio"]')?.setAttribute('checked', '')
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const typed = label.value.trim().toLowerCase()
    const name = typed.includes('.') ? typed : `${typed}.${ending.value}`
    const provider = String(new FormData(form).get('provider'))
    ask('POST /domains', { name, provider }).then(
      () => {
        location.hash = name
      },
      (error) => showProblem(form, error),
    )
  })
  return form
}

/** @param {Lab} lab */
function domainList(lab) {
  const items = lab.domains.map(({ isCurrent, name, provider, records }) => {
    const title = lab.providers.find(({ id }) => id === provider)?.title ?? provider
    return html`
      <li>
        <a href="#${name}">${name}</a>
        <span class="soft">${title} · ${records} ${records === 1 ? 'record' : 'records'}</span>
        <span class="badge ${isCurrent ? '' : 'waiting'}">${isCurrent ? 'Up to date' : 'Propagating'}</span>
      </li>`
  })
  const none = html`<p class="empty">No domains yet. Buy one above.</p>`
  return html`
    <section>
      <h2>Your domains</h2>
      ${items.length === 0 ? none : html`<ul class="domains">${items}</ul>`}
    </section>`
}

/** @type {Record<string, string>} */
const modeTexts = {
  pass_through: 'forwards every request',
  block_challenges: 'blocks certificate challenges',
  redirect_loop: 'redirects in a loop',
  origin_error: 'returns its own error page',
}

/** @type {Record<string, string>} */
const caaTexts = {
  any_authority: 'allows every authority',
  own_authority: 'allows only its own authority',
  no_authority: 'allows no authority',
}

/** @param {Lab} lab */
function networkSection(lab) {
  const modeOf = (/** @type {string} */ one) => modeTexts[one] ?? one
  const mode = choice('mode', lab.proxyModes, lab.proxyMode, modeOf, (chosen) => {
    void ask('PUT /proxy', { mode: chosen }).then(() => say('Proxy changed.'))
  })
  const caaOf = (/** @type {string} */ one) => caaTexts[one] ?? one
  const caa = choice('caa', lab.otherPlatformCaa, lab.otherPlatform.caa, caaOf, (chosen) => {
    void ask('PUT /other-platform', { caa: chosen }).then(() => say('CAA changed.'))
  })
  const clear = button('Clear resolver cache', () => {
    void ask('POST /resolver/clear').then(() => {
      clear.textContent = 'Cleared'
      say('Resolver cache cleared.')
    })
  })
  let isConfirming = false
  const reset = button('Reset the lab', () => {
    if (isConfirming) void ask('POST /reset').then(start)
    isConfirming = true
    reset.textContent = 'Confirm: delete all domains'
  })
  const { addresses, otherPlatformHost, platformHost } = lab
  return html`
    <section>
      <h2>Network</h2>
      <dl class="facts">
        <div>
          <dt>Documentation host</dt>
          <dd><code>${platformHost}</code> <code>${addresses.server}</code></dd>
        </div>
        <div>
          <dt>Other platform</dt>
          <dd><code>${otherPlatformHost}</code> <code>${addresses.otherPlatform}</code></dd>
        </div>
        <div><dt>Proxy</dt><dd><code>otter-edge</code> <code>${addresses.proxy}</code></dd></div>
        <div><dt>Resolver</dt><dd><code>${addresses.resolver}</code></dd></div>
      </dl>
      <div class="row end">
        ${labelled('Proxy', mode)}
        ${labelled('CAA of the other platform', caa)}
        ${[clear, reset]}
      </div>
    </section>`
}

addEventListener('hashchange', () => {
  void start().then(() => scrollTo(0, 0))
})
void start()

/**
 * @typedef {{ id: string, title: string, quirks: Record<string, string>, templates: string[] }} Connecting
 * @typedef {{ kinds: Record<string, string[]>, providers: Connecting[] }} Connect
 */

/** @type {Record<string, string>} */
const titles = {
  record: 'Discovery record',
  settings: 'Settings',
  template: 'Template query',
  confirm: 'After consent',
}

/** Domain Connect at both providers: their templates, and quirks that real providers have had. */
async function connectSection() {
  const { kinds, providers } = /** @type {Connect} */ (await ask('GET /connect'))
  const parts = providers.map(({ id, quirks, templates, title }) => {
    const known = templates.length === 0 ? 'no templates' : `template ${templates.join(', ')}`
    const fields = Object.entries(kinds).map(([kind, values]) => {
      const textOf = (/** @type {string} */ value) => value.replaceAll('_', ' ')
      const field = choice(kind, values, quirks[kind] ?? 'fine', textOf, (chosen) => {
        void ask(`PUT /connect/${id}/quirks`, { [kind]: chosen }).then(() =>
          say(`${title} changed.`),
        )
      })
      return labelled(`${titles[kind] ?? kind}`, field)
    })
    return html`
      <h3>${title}</h3>
      <p class="soft">Has ${known}.</p>
      <div class="row" role="group" aria-label="${title}">${fields}</div>`
  })
  return html`<section><h2>One click for platforms (Domain Connect)</h2>${parts}</section>`
}
