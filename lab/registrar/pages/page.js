// @ts-check
// Shows the start page, the domain after the # in the address, or a consent page.

import { showDomain } from './domain-view.js'
import {
  ask,
  button,
  choice,
  confirming,
  html,
  input,
  knob,
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
    /** @type {Lab} */
    const lab = await ask('GET /lab')
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
  const endings = Object.fromEntries(lab.topLevels.map((end) => [end, `.${end}`]))
  const ending = choice('ending', lab.topLevels, 'example', endings)
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
  const { addresses, otherPlatformCaa, otherPlatformHost, platformHost } = lab
  const mode = knob('PUT /proxy', 'mode', lab.proxyModes, lab.proxyMode, modeTexts, () =>
    say('Proxy changed.'),
  )
  const { caa: allowed } = lab.otherPlatform
  const caa = knob('PUT /other-platform', 'caa', otherPlatformCaa, allowed, caaTexts, () =>
    say('CAA changed.'),
  )
  const clear = button('Clear resolver cache', () => {
    void ask('POST /resolver/clear').then(() => {
      clear.textContent = 'Cleared'
      say('Resolver cache cleared.')
    })
  })
  const reset = confirming('Reset the lab', 'Confirm: delete all domains', () => {
    void ask('POST /reset').then(start)
  })
  const facts = [
    ['Documentation host', platformHost, addresses.server],
    ['Other platform', otherPlatformHost, addresses.otherPlatform],
    ['Proxy', 'otter-edge', addresses.proxy],
    ['Resolver', addresses.resolver],
  ].map(([title = '', ...values]) => {
    const codes = values.map((value) => html`<code>${value}</code>`)
    return html`<div><dt>${title}</dt><dd class="row">${codes}</dd></div>`
  })
  return html`
    <section>
      <h2>Network</h2>
      <dl class="facts">${facts}</dl>
      <div class="row end">
        ${[labelled('Proxy', mode), labelled('CAA of the other platform', caa), clear, reset]}
      </div>
    </section>`
}

if (location.pathname === '/') {
  addEventListener('hashchange', () => {
    void start().then(() => scrollTo(0, 0))
  })
  void start()
} else void import('./consent.js')

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
  /** @type {Connect} */
  const { kinds, providers } = await ask('GET /connect')
  const parts = providers.map(({ id, quirks, templates, title }) => {
    const known = templates.length === 0 ? 'no templates' : `template ${templates.join(', ')}`
    const fields = Object.entries(kinds).map(([kind, values]) => {
      const chosen = quirks[kind] ?? 'fine'
      const done = () => say(`${title} changed.`)
      const field = knob(`PUT /connect/${id}/quirks`, kind, values, chosen, {}, done)
      return labelled(`${titles[kind] ?? kind}`, field)
    })
    return html`
      <h3>${title}</h3>
      <p class="soft">Has ${known}.</p>
      <div class="row" role="group" aria-label="${title}">${fields}</div>`
  })
  return html`<section><h2>One click for platforms (Domain Connect)</h2>${parts}</section>`
}
