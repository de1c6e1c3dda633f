// @ts-check
// The page of one domain: records, name servers, scenarios, DNSSEC. It polls every second while it is visible and
// redraws only the parts that changed.
import { ask, ValidationError } from './api.js'
import { button, choice, element, labelled, say } from './elements.js'
import { recordsView } from './records-view.js'
import { serversView } from './servers-view.js'

/** @typedef {import('./api.js').Domain} Domain */
/** @typedef {import('./api.js').Lab} Lab */

/** Returns a function that stops polling. @param {HTMLElement} main @param {Lab} lab @param {string} name */
export async function showDomain(main, lab, name) {
  const path = `/domains/${encodeURIComponent(name)}`
  let domain = /** @type {Domain} */ (await ask(`GET ${path}`))
  const head = element('div', { class: 'head' })
  const records = recordsView(lab, path, update)
  const servers = serversView(lab, path, update)
  const note = element('p', { class: 'problem', role: 'alert' })

  /** @param {Domain} changed */
  function update(changed) {
    const before = domain
    domain = changed
    if (before.provider !== domain.provider || head.childElementCount === 0) drawHead()
    records.draw(domain)
    servers.draw(domain)
    if (before.isDnssecBroken !== domain.isDnssecBroken) drawDnssec()
  }

  /** @param {string} route @param {object} [body] @param {string} [said] */
  function act(route, body, said) {
    note.textContent = ''
    ask(route, body).then(
      (answer) => {
        if (answer) update(/** @type {Domain} */ (answer))
        if (said) say(said)
      },
      (error) => {
        note.textContent = /** @type {Error} */ (error).message
      },
    )
  }

  function drawHead() {
    const provider = choice(
      lab.providers.map(({ id, title }) => [id, title]),
      domain.provider,
      { name: 'provider' },
    )
    provider.addEventListener('change', () =>
      act(`PUT ${path}/provider`, { provider: provider.value }, 'DNS provider changed.'),
    )
    const about = lab.providers.find(({ id }) => id === domain.provider)?.about ?? ''
    head.replaceChildren(
      element(
        'div',
        {},
        element('a', { href: '#', class: 'back' }, 'All domains'),
        element('h1', {}, name),
      ),
      labelled('DNS provider', provider, about),
    )
  }

  const sub = element('input', {
    name: 'sub',
    value: 'docs',
    autocomplete: 'off',
    autocapitalize: 'none',
    spellcheck: 'false',
  })
  const scenarios = element('ul', { class: 'scenarios' })
  for (const { about, id, title } of lab.scenarios) {
    const put = button(title, () =>
      act(
        `PUT ${path}/scenario`,
        { scenario: id, name: sub.value.trim() || '@' },
        `${title}: records replaced.`,
      ),
    )
    scenarios.append(element('li', {}, put, element('p', {}, about)))
  }

  const dnssec = element('div', { class: 'row end' })
  function drawDnssec() {
    const { isDnssecBroken } = domain
    dnssec.replaceChildren(
      element(
        'p',
        {},
        isDnssecBroken
          ? 'Broken: the registry has a DS record, but the zone is not signed. Validating resolvers answer SERVFAIL.'
          : 'Off: the registry has no DS record for this domain.',
      ),
      button(isDnssecBroken ? 'Remove the DS record' : 'Break DNSSEC', () =>
        act(`PUT ${path}/dnssec`, { isBroken: !isDnssecBroken }),
      ),
    )
  }
  drawDnssec()

  let isConfirming = false
  const release = button(
    'Release domain',
    () => {
      if (isConfirming)
        void ask(`DELETE ${path}`).then(() => {
          location.hash = ''
        })
      isConfirming = true
      release.textContent = `Confirm: release ${name}`
    },
    { class: 'quiet danger' },
  )

  update(domain)
  main.replaceChildren(
    head,
    note,
    element('section', {}, element('h2', {}, 'Records'), records.view),
    element('section', {}, element('h2', {}, 'Name servers'), servers.view),
    element(
      'section',
      {},
      element('h2', {}, 'Scenarios'),
      element('p', { class: 'soft' }, 'Each replaces the records at the same names.'),
      labelled('For the name', sub, `docs is docs.${name}; @ is ${name} itself.`),
      scenarios,
    ),
    element('section', {}, element('h2', {}, 'DNSSEC'), dnssec),
    element('section', {}, release),
  )

  const timer = setInterval(() => {
    if (document.hidden) return
    ask(`GET ${path}`).then(
      (answer) => update(/** @type {Domain} */ (answer)),
      (error) => {
        if (!(error instanceof ValidationError)) throw error
      },
    )
  }, 1000)
  return () => clearInterval(timer)
}
