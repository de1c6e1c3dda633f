// What the owner of a domain sets and changes for a certificate before DNS is switched, for the terminal.
import type { Domain } from '#domains/api/schema.ts'
import { columns } from '../command-line/help.ts'

/** The TXT records to set now, and the record to change later. */
export function preparationText(domain: Domain): string {
  const { host, preparation, record, records } = domain
  if (preparation.state !== 'requested') {
    return `${host} points here already. Its certificate is issued and renewed automatically.\n`
  }
  const wanted = records.filter(({ purpose, state }) => purpose !== 'site' && state === 'required')
  const tables = wanted.map(({ name, replaces, setBy, value }) => {
    const rows = [
      ['Type', 'TXT'],
      ['Name', name],
      ['Value', value],
      ...(setBy === null ? [] : [['Until', setBy]]),
      ...(replaces === null ? [] : [['Replaces', replaces.value]]),
    ]
    return columns(rows)
  })
  const hasChallenge = records.some(({ purpose }) => purpose === 'challenge')
  const next = hasChallenge
    ? ''
    : '\nA second TXT record, for the certificate authority, is shown once the first one is found.\n'
  const later = [
    ['Type', record.type],
    ['Name', record.name],
    ['Value', record.value],
  ]
  const now = wanted.length > 0 ? `Set now:\n\n${tables.join('\n')}${next}\n` : ''
  return `Your site stays where it is until you switch.\n\n${now}Change when the certificate is ready:\n\n${columns(later)}`
}
