// @ts-check
// Shows the start page, or the domain after the # in the address.
// And Domain Connect at both providers: their templates, and quirks that real providers have had.

import { showDomain } from './domain-view.js'
import {
  ask,
  button,
  choice,
  element,
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
        element('p', { class: 'problem' }, error.message),
        button('Try again', start),
      )
  }
}

/** @param {Lab} lab */
async function showStart(lab) {
  const connect = await connectSection()
  main.replaceChildren(
    element('h1', {}, 'A good name, grown slowly'),
    element(
      'p',
      { class: 'lead' },
      'Free domains that exist on this machine only, with every problem that real ones have.',
    ),
    purchaseForm(lab),
    domainList(lab),
    networkSection(lab),
    connect,
  )
}

/** @param {Lab} lab */
function purchaseForm(lab) {
  const label = element('input', {
    name: 'name',
    required: '',
    autocomplete: 'off',
    autocapitalize: 'none',
    spellcheck: 'false',
    placeholder: 'mossy',
  })
  const ending = choice(
    lab.topLevels.map((end) => [end, `.${end}`]),
    'example',
    { name: 'ending' },
  )
  const providers = element('fieldset', {}, element('legend', {}, 'DNS provider'))
  for (const [i, { about, id, title }] of lab.providers.entries()) {
    const radio = element('input', {
      type: 'radio',
      name: 'provider',
      value: id,
      ...(i === 0 ? { checked: '' } : {}),
    })
    providers.append(
      element(
        'label',
        { class: 'option' },
        radio,
        element('span', {}, element('strong', {}, title), ' ', about),
      ),
    )
  }
  const form = element(
    'form',
    { class: 'card buy' },
    element('h2', {}, 'Buy a domain'),
    element('div', { class: 'row' }, labelled('Name', label), labelled('Ending', ending)),
    providers,
    element('p', { class: 'problem', role: 'alert' }),
    element('button', {}, 'Buy domain'),
  )
  form.noValidate = true
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
  const section = element('section', {}, element('h2', {}, 'Your domains'))
  if (lab.domains.length === 0) {
    section.append(element('p', { class: 'empty' }, 'No domains yet. Buy one above.'))
    return section
  }
  const list = element('ul', { class: 'domains' })
  for (const { isCurrent, name, provider, records } of lab.domains) {
    const title = lab.providers.find(({ id }) => id === provider)?.title ?? provider
    list.append(
      element(
        'li',
        {},
        element('a', { href: `#${name}` }, name),
        element(
          'span',
          { class: 'soft' },
          `${title} · ${records} ${records === 1 ? 'record' : 'records'}`,
        ),
        element(
          'span',
          { class: isCurrent ? 'badge' : 'badge waiting' },
          isCurrent ? 'Up to date' : 'Propagating',
        ),
      ),
    )
  }
  section.append(list)
  return section
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
  const mode = choice(
    lab.proxyModes.map((value) => [value, modeTexts[value] ?? value]),
    lab.proxyMode,
    { name: 'mode' },
  )
  mode.addEventListener('change', () => {
    void ask('PUT /proxy', { mode: mode.value }).then(() => say('Proxy changed.'))
  })
  const caa = choice(
    lab.otherPlatformCaa.map((value) => [value, caaTexts[value] ?? value]),
    lab.otherPlatform.caa,
    { name: 'caa' },
  )
  caa.addEventListener('change', () => {
    void ask('PUT /other-platform', { caa: caa.value }).then(() => say('CAA changed.'))
  })
  const clear = button('Clear resolver cache', () => {
    void ask('POST /resolver/clear').then(() => {
      clear.textContent = 'Cleared'
      say('Resolver cache cleared.')
    })
  })
  let isConfirming = false
  const reset = button(
    'Reset the lab',
    () => {
      if (isConfirming) void ask('POST /reset').then(start)
      isConfirming = true
      reset.textContent = 'Confirm: delete all domains'
    },
    { class: 'quiet danger' },
  )
  const rows = [
    ['Documentation host', lab.platformHost, lab.addresses.server],
    ['Other platform', lab.otherPlatformHost, lab.addresses.otherPlatform],
    ['Proxy', 'otter-edge', lab.addresses.proxy],
    ['Resolver', '', lab.addresses.resolver],
  ].map(([what = '', name = '', address = '']) =>
    element(
      'div',
      {},
      element('dt', {}, what),
      element(
        'dd',
        {},
        ...(name ? [element('code', {}, name), ' '] : []),
        element('code', {}, address),
      ),
    ),
  )
  return element(
    'section',
    {},
    element('h2', {}, 'Network'),
    element('dl', { class: 'facts' }, ...rows),
    element(
      'div',
      { class: 'row end' },
      labelled('Proxy', mode),
      labelled('CAA of the other platform', caa),
      clear,
      reset,
    ),
  )
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

async function connectSection() {
  const { kinds, providers } = /** @type {Connect} */ (await ask('GET /connect'))
  const section = element(
    'section',
    {},
    element('h2', {}, 'One click for platforms (Domain Connect)'),
  )
  for (const { id, quirks, templates, title } of providers) {
    const known = templates.length === 0 ? 'no templates' : `template ${templates.join(', ')}`
    const fields = Object.entries(kinds).map(([kind, values]) => {
      const field = choice(
        values.map((value) => [value, value.replaceAll('_', ' ')]),
        quirks[kind] ?? 'fine',
        { name: kind },
      )
      field.addEventListener('change', () => {
        void ask(`PUT /connect/${id}/quirks`, { [kind]: field.value }).then(() =>
          say(`${title} changed.`),
        )
      })
      return labelled(`${titles[kind] ?? kind}`, field)
    })
    section.append(
      element('h3', {}, title),
      element('p', { class: 'soft' }, `Has ${known}.`),
      element('div', { class: 'row', role: 'group', 'aria-label': title }, ...fields),
    )
  }
  return section
}
