// @ts-check
// The table of records, and the form that adds one or changes one.
import { ask } from './api.js'
import { button, choice, element, labelled, say, showProblem } from './elements.js'

/** @typedef {import('./api.js').Domain} Domain */
/** @typedef {import('./api.js').ZoneRecord} ZoneRecord */

/** @param {import('./api.js').Lab} lab @param {string} path @param {(domain: Domain) => void} update */
export function recordsView(lab, path, update) {
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
