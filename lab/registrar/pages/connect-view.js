// @ts-check
// Domain Connect at both providers: their templates, and quirks that real providers have had.
import { ask } from './api.js'
import { choice, element, labelled, say } from './elements.js'

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

export async function connectSection() {
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
