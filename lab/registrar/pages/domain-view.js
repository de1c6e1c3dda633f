// @ts-check
// The page of one domain: records, name servers, scenarios, DNSSEC. It polls every second while it is visible and
// redraws only the parts that changed.
// The table of records, and the form that adds one or changes one.
// The name servers of a domain: the zone version of each, when the next one reaches it, and its fault.
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

/** @typedef {import('./elements.js').Domain} Domain */
/** @typedef {import('./elements.js').Lab} Lab */

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

/** @typedef {import('./elements.js').ZoneRecord} ZoneRecord */

/** @param {import('./elements.js').Lab} lab @param {string} path @param {(domain: Domain) => void} update */
function recordsView(lab, path, update) {
  const body = element('tbody')
  const headings = ['Name', 'Type', 'Value', 'TTL'].map((text) =>
    element('th', { scope: 'col' }, text),
  )
  const table = element(
    'table',
    {},
    element(
      'thead',
      {},
      element(
        'tr',
        {},
        ...headings,
        element('th', { scope: 'col' }, element('span', { class: 'unseen' }, 'Actions')),
      ),
    ),
    body,
  )
  const empty = element('p', { class: 'empty' }, 'No records yet.')
  /** The record that the form changes; 0 when it adds one. */
  let editing = 0
  let drawn = ''

  const name = element('input', {
    name: 'name',
    placeholder: 'docs',
    autocomplete: 'off',
    autocapitalize: 'none',
    spellcheck: 'false',
  })
  const type = choice(
    lab.recordTypes.map((one) => [one, one]),
    'CNAME',
    { name: 'type' },
  )
  const value = element('input', {
    name: 'value',
    placeholder: `${lab.platformHost}.`,
    autocomplete: 'off',
    autocapitalize: 'none',
    spellcheck: 'false',
  })
  const ttl = element('input', {
    name: 'ttlSeconds',
    value: '3600',
    inputmode: 'numeric',
    autocomplete: 'off',
  })
  const title = element('h3', {}, 'Add record')
  const submit = element('button', {}, 'Add record')
  const cancel = button('Cancel', () => edit(undefined))
  const form = element(
    'form',
    { class: 'card record' },
    title,
    element(
      'div',
      { class: 'fields' },
      labelled('Name', name),
      labelled('Type', type),
      labelled('Value', value),
      labelled('TTL in seconds', ttl),
    ),
    element('p', { class: 'problem', role: 'alert' }),
    element('div', { class: 'row' }, submit, cancel),
  )
  form.noValidate = true
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const record = {
      name: name.value,
      type: type.value,
      value: value.value,
      ttlSeconds: Number(ttl.value),
    }
    const route = editing ? `PUT ${path}/records/${editing}` : `POST ${path}/records`
    ask(route, record).then(
      (answer) => {
        say(editing ? 'Record changed.' : 'Record added.')
        edit(undefined)
        update(/** @type {Domain} */ (answer))
      },
      (error) => showProblem(form, error),
    )
  })

  /** @param {ZoneRecord | undefined} record */
  function edit(record) {
    editing = record?.id ?? 0
    name.value = record?.name ?? ''
    type.value = record?.type ?? 'CNAME'
    value.value = record?.value ?? ''
    ttl.value = String(record?.ttlSeconds ?? 3600)
    title.textContent = record ? 'Edit record' : 'Add record'
    submit.textContent = record ? 'Save record' : 'Add record'
    cancel.hidden = !record
    showProblem(form, { message: '' })
    if (record) {
      form.scrollIntoView({ block: 'nearest' })
      value.focus()
    }
  }
  edit(undefined)

  /** @param {ZoneRecord} record */
  function row(record) {
    const what = `${record.type} record of ${record.fullName}`
    const remove = () => {
      void ask(`DELETE ${path}/records/${record.id}`).then((answer) => {
        if (editing === record.id) edit(undefined)
        say('Record deleted.')
        update(/** @type {Domain} */ (answer))
      })
    }
    return element(
      'tr',
      {},
      element('td', { class: 'name' }, record.name),
      element('td', {}, element('span', { class: 'kind' }, record.type)),
      element('td', { class: 'value' }, record.value),
      element('td', { class: 'ttl' }, `${record.ttlSeconds} s`),
      element(
        'td',
        { class: 'actions' },
        button('Edit', () => edit(record), { 'aria-label': `Edit the ${what}` }),
        button('Delete', remove, { 'aria-label': `Delete the ${what}` }),
      ),
    )
  }

  return {
    view: element('div', {}, table, empty, form),
    /** @param {Domain} domain */
    draw({ records }) {
      const now = JSON.stringify(records)
      if (now === drawn) return
      drawn = now
      body.replaceChildren(...records.map(row))
      table.hidden = records.length === 0
      empty.hidden = records.length > 0
    },
  }
}

/** @typedef {import('./elements.js').Server} Server */

/** @type {[string, string][]} */
const delays = [
  ['0', 'immediately'],
  ['10', 'after 10 s'],
  ['60', 'after 1 min'],
  ['600', 'after 10 min'],
  ['held', 'when released'],
]
/** @type {Record<string, string>} */
const faultTexts = {
  none: 'answers correctly',
  lame: 'does not know the zone',
  refusing: 'refuses queries',
  silent: 'does not answer',
  servfail: 'answers SERVFAIL',
  slow: 'answers slowly',
  tcp_only: 'answers over TCP only',
  failing_caa: 'answers SERVFAIL for CAA',
}

/** @param {import('./elements.js').Lab} lab @param {string} path @param {(domain: Domain) => void} update */
function serversView(lab, path, update) {
  const list = element('ul', { class: 'servers' })
  const summary = element('p', { class: 'soft' })
  /** @type {Map<string, { badge: HTMLElement, delay: HTMLSelectElement, fault: HTMLSelectElement }>} */
  let shown = new Map()

  /** @param {Server} server */
  function item({ address, name }) {
    const badge = element('span', { class: 'badge' })
    const delay = choice(delays, '0', { 'aria-label': `Changes reach ${name}` })
    const fault = choice(
      lab.faults.map((one) => [one, faultTexts[one] ?? one]),
      'none',
      { 'aria-label': `Behavior of ${name}` },
    )
    /** @param {object} body */
    const change = (body) => {
      void ask(`PUT ${path}/servers/${name}`, body).then((answer) =>
        update(/** @type {Domain} */ (answer)),
      )
    }
    delay.addEventListener('change', () =>
      change({ delay: delay.value === 'held' ? 'held' : Number(delay.value) }),
    )
    fault.addEventListener('change', () => change({ fault: fault.value }))
    shown.set(name, { badge, delay, fault })
    return element(
      'li',
      {},
      element('div', { class: 'who' }, element('strong', {}, name), element('code', {}, address)),
      badge,
      element(
        'div',
        { class: 'knobs' },
        element('span', {}, 'Changes arrive ', delay),
        element('span', {}, 'Behavior: ', fault),
      ),
    )
  }

  return {
    view: element('div', {}, summary, list),
    /** @param {Domain} domain */
    draw({ serial, servers }) {
      if (servers.some(({ name }) => !shown.has(name)) || shown.size !== servers.length) {
        shown = new Map()
        list.replaceChildren(...servers.map(item))
      }
      for (const server of servers) {
        const { badge, delay, fault } = /** @type {NonNullable<ReturnType<typeof shown.get>>} */ (
          shown.get(server.name)
        )
        const text = stateOf(server, serial)
        if (badge.textContent !== text) badge.textContent = text
        badge.className = `badge ${server.fault === 'none' ? (server.isCurrent ? '' : 'waiting') : 'wrong'}`
        if (document.activeElement !== delay) delay.value = String(server.delay)
        if (document.activeElement !== fault) fault.value = server.fault
      }
      const current = servers.filter(({ isCurrent }) => isCurrent).length
      summary.textContent = `${current} of ${servers.length} have version ${serial} of the zone.`
    },
  }
}

/** @param {Server} server @param {number} serial */
function stateOf({ dueAt, fault, isCurrent, serial: has }, serial) {
  if (fault !== 'none') return `Faulty: ${faultTexts[fault] ?? fault}`
  if (isCurrent) return `Has version ${serial}`
  if (dueAt === null) return `Has version ${has}, held`
  const seconds = Math.max(0, Math.ceil((dueAt - Date.now()) / 1000))
  return `Has version ${has}, next in ${seconds} s`
}
