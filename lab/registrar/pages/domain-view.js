// @ts-check
// The page of one domain: its records, its name servers, and what can be made of it. It looks again every
// second as long as it is seen, and draws anew only the parts that have changed.
import { ask, Refusal } from './api.js'
import { button, choice, element, labelled, say } from './elements.js'
import { recordsView } from './records-view.js'
import { serversView } from './servers-view.js'

/** @typedef {import('./api.js').Domain} Domain */
/** @typedef {import('./api.js').Lab} Lab */

/** Gives what ends it. @param {HTMLElement} main @param {Lab} lab @param {string} name */
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
      act(`PUT ${path}/provider`, { provider: provider.value }, 'Moved.'),
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
  const scenes = element('ul', { class: 'scenes' })
  for (const { about, id, title } of lab.scenes) {
    const put = button(title, () =>
      act(`PUT ${path}/scene`, { scene: id, name: sub.value.trim() || '@' }, `${title}: done.`),
    )
    scenes.append(element('li', {}, put, element('p', {}, about)))
  }

  const dnssec = element('div', { class: 'row end' })
  function drawDnssec() {
    const { isDnssecBroken } = domain
    dnssec.replaceChildren(
      element(
        'p',
        {},
        isDnssecBroken
          ? 'Broken: the registry has a DS record, and nothing is signed. Validating resolvers say SERVFAIL.'
          : 'Off: the registry has no DS record for this domain.',
      ),
      button(isDnssecBroken ? 'Remove the DS record' : 'Break DNSSEC', () =>
        act(`PUT ${path}/dnssec`, { isBroken: !isDnssecBroken }),
      ),
    )
  }
  drawDnssec()

  let isSure = false
  const giveBack = button(
    'Give the domain back',
    () => {
      if (isSure)
        void ask(`DELETE ${path}`).then(() => {
          location.hash = ''
        })
      isSure = true
      giveBack.textContent = `Really give ${name} back`
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
      element('h2', {}, 'Situations'),
      element(
        'p',
        { class: 'soft' },
        'Each puts its records in the place of those at the same names.',
      ),
      labelled('For the name', sub, `docs is docs.${name}; @ is ${name} itself.`),
      scenes,
    ),
    element('section', {}, element('h2', {}, 'DNSSEC'), dnssec),
    element('section', {}, giveBack),
  )

  const timer = setInterval(() => {
    if (document.hidden) return
    ask(`GET ${path}`).then(
      (answer) => update(/** @type {Domain} */ (answer)),
      (error) => {
        if (!(error instanceof Refusal)) throw error
      },
    )
  }, 1000)
  return () => clearInterval(timer)
}
