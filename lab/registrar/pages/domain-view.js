// @ts-check
// The page of one domain: records, name servers, scenarios, DNSSEC. It polls every second while it is visible and
// redraws only the parts that changed.
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

/** @typedef {import('./elements.js').Domain} Domain */
/** @typedef {import('./elements.js').Lab} Lab */

/** Returns a function that stops polling. @param {HTMLElement} main @param {Lab} lab @param {string} name */
export async function showDomain(main, lab, name) {
  const path = `/domains/${encodeURIComponent(name)}`
  /** @type {Domain} */
  let domain = await ask(`GET ${path}`)
  /** @type {HTMLElement} */
  const head = html`<div class="head"></div>`
  const records = recordsView(lab, path, update)
  const servers = serversView(lab, path, update)
  /** @type {HTMLElement} */
  const note = html`<p class="problem" role="alert"></p>`

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
        if (answer) update(answer)
        if (said) say(said)
      },
      (error) => {
        note.textContent = /** @type {Error} */ (error).message
      },
    )
  }

  function drawHead() {
    const titles = Object.fromEntries(lab.providers.map(({ id, title }) => [id, title]))
    const provider = choice('provider', Object.keys(titles), domain.provider, titles, (chosen) =>
      act(`PUT ${path}/provider`, { provider: chosen }, 'DNS provider changed.'),
    )
    const about = lab.providers.find(({ id }) => id === domain.provider)?.about
    head.replaceChildren(html`
      <div><a href="#">All domains</a><h1>${name}</h1></div>
      ${labelled('DNS provider', provider, about)}`)
  }

  const sub = input('sub', { value: 'docs' })
  const scenarios = lab.scenarios.map(({ about, id, title }) => {
    const put = () =>
      act(
        `PUT ${path}/scenario`,
        { scenario: id, name: sub.value.trim() || '@' },
        `${title}: records replaced.`,
      )
    return html`<li>${button(title, put)}<p>${about}</p></li>`
  })

  /** @type {HTMLElement} */
  const dnssec = html`<div class="row end"></div>`
  function drawDnssec() {
    const { isDnssecBroken } = domain
    const text = isDnssecBroken
      ? 'Broken: the registry has a DS record, but the zone is not signed. Validating resolvers answer SERVFAIL.'
      : 'Off: the registry has no DS record for this domain.'
    const turn = () => act(`PUT ${path}/dnssec`, { isBroken: !isDnssecBroken })
    dnssec.replaceChildren(html`
      <p>${text}</p>
      ${button(isDnssecBroken ? 'Remove the DS record' : 'Break DNSSEC', turn)}`)
  }
  drawDnssec()

  const release = confirming('Release domain', `Confirm: release ${name}`, () => {
    void ask(`DELETE ${path}`).then(() => {
      location.hash = ''
    })
  })

  update(domain)
  main.replaceChildren(html`
    ${head}
    ${note}
    <section><h2>Records</h2>${records.view}</section>
    <section><h2>Name servers</h2>${servers.view}</section>
    <section>
      <h2>Scenarios</h2>
      <p class="soft">Each replaces the records at the same names.</p>
      ${labelled('For the name', sub, `docs is docs.${name}; @ is ${name} itself.`)}
      <ul class="scenarios">${scenarios}</ul>
    </section>
    <section><h2>DNSSEC</h2>${dnssec}</section>
    <section>${release}</section>`)

  const timer = setInterval(() => {
    if (document.hidden) return
    ask(`GET ${path}`).then(update, (error) => {
      if (!(error instanceof ValidationError)) throw error
    })
  }, 1000)
  return () => clearInterval(timer)
}

/** @typedef {import('./elements.js').ZoneRecord} ZoneRecord */

/**
 * The table of records, and the form that adds or changes one.
 * @param {import('./elements.js').Lab} lab @param {string} path @param {(domain: Domain) => void} update
 */
function recordsView(lab, path, update) {
  const headings = ['Name', 'Type', 'Value', 'TTL'].map(
    (text) => html`<th scope="col">${text}</th>`,
  )
  /** @type {HTMLTableElement} */
  const table = html`
    <table>
      <thead>
        <tr>${headings}<th scope="col"><span class="unseen">Actions</span></th></tr>
      </thead>
      <tbody></tbody>
    </table>`
  /** @type {HTMLElement} */
  const empty = html`<p class="empty">No records yet.</p>`
  /** The record that the form changes; 0 when it adds one. */
  let editing = 0
  let drawn = ''

  const name = input('name', { placeholder: 'docs' })
  const type = choice('type', lab.recordTypes, 'CNAME')
  const value = input('value', { placeholder: `${lab.platformHost}.` })
  const ttl = input('ttlSeconds', { value: '3600', inputMode: 'numeric' })
  /** @type {HTMLElement} */
  const title = html`<h3>Add record</h3>`
  /** @type {HTMLButtonElement} */
  const submit = html`<button>Add record</button>`
  const cancel = button('Cancel', () => edit(undefined))
  const fields = [
    labelled('Name', name),
    labelled('Type', type),
    labelled('Value', value),
    labelled('TTL in seconds', ttl),
  ]
  /** @type {HTMLFormElement} */
  const form = html`
    <form novalidate>
      ${title}
      <div class="fields">${fields}</div>
      <p class="problem" role="alert"></p>
      <div class="row">${[submit, cancel]}</div>
    </form>`
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const typed = { name: name.value, type: type.value, value: value.value }
    const record = { ...typed, ttlSeconds: Number(ttl.value) }
    const route = editing ? `PUT ${path}/records/${editing}` : `POST ${path}/records`
    ask(route, record).then(
      (answer) => {
        say(editing ? 'Record changed.' : 'Record added.')
        edit(undefined)
        update(answer)
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
        update(answer)
      })
    }
    const buttons = [
      button('Edit', () => edit(record), `Edit the ${what}`),
      button('Delete', remove, `Delete the ${what}`),
    ]
    return html`
      <tr>
        <td>${record.name}</td>
        <td><span>${record.type}</span></td>
        <td>${record.value}</td>
        <td>${record.ttlSeconds} s</td>
        <td class="actions">${buttons}</td>
      </tr>`
  }

  return {
    view: html`<div>${[table, empty, form]}</div>`,
    /** @param {Domain} domain */
    draw({ records }) {
      const now = JSON.stringify(records)
      if (now === drawn) return
      drawn = now
      table.tBodies[0]?.replaceChildren(...records.map(row))
      table.hidden = records.length === 0
      empty.hidden = records.length > 0
    },
  }
}

/** @typedef {import('./elements.js').Server} Server */

/** @type {Record<string, string>} */
const delays = {
  0: 'immediately',
  10: 'after 10 s',
  60: 'after 1 min',
  600: 'after 10 min',
  held: 'when released',
}
/** @type {Record<string, string>} */
const faultTexts = {
  none: 'answers correctly',
  lame: 'does not know the zone',
  refusing: 'refuses queries',
  silent: 'does not answer',
  servfail: 'answers SERVFAIL',
  slow: 'answers slowly',
  tcp_only: 'answers over TCP only',
  udp_only: 'answers over UDP only, and not in full',
  drops_edns: 'drops queries with EDNS',
  failing_caa: 'answers SERVFAIL for CAA',
  silent_caa: 'does not answer for CAA',
  no_authority: 'answers without the AA flag',
}

/**
 * The name servers of the domain: the zone version of each, when the next one reaches it, and its fault.
 * @param {import('./elements.js').Lab} lab @param {string} path @param {(domain: Domain) => void} update
 */
function serversView(lab, path, update) {
  /** @type {HTMLElement} */
  const list = html`<ul class="servers"></ul>`
  /** @type {HTMLElement} */
  const summary = html`<p class="soft"></p>`
  /** @type {Map<string, { badge: HTMLElement, delay: HTMLSelectElement, fault: HTMLSelectElement }>} */
  let shown = new Map()

  /** @param {Server} server */
  function item({ address, name }) {
    /** @type {HTMLElement} */
    const badge = html`<span class="badge"></span>`
    const route = `PUT ${path}/servers/${name}`
    const delay = knob(route, 'delay', Object.keys(delays), '0', delays, update)
    delay.ariaLabel = `Changes reach ${name}`
    const fault = knob(route, 'fault', lab.faults, 'none', faultTexts, update)
    fault.ariaLabel = `Behavior of ${name}`
    shown.set(name, { badge, delay, fault })
    return html`
      <li>
        <div class="who"><strong>${name}</strong><code>${address}</code></div>
        ${badge}
        <div class="knobs"><span>Changes arrive ${delay}</span><span>Behavior: ${fault}</span></div>
      </li>`
  }

  return {
    view: html`<div>${[summary, list]}</div>`,
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
