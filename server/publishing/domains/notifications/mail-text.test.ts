import { describe, expect, it } from 'vitest'
import type { StreamedEvent } from '../api/event-schema.ts'
import { mailText } from './mail-text.ts'

const host = 'docs.mossy.example'
const value = 'ca.example; accounturi=https://ca.example/acct/1; persistUntil=1800000000'
const record = { recordName: `_validation-persist.${host}`, recordValue: value }
const textOf = (event: Pick<StreamedEvent['event'], 'type' | 'detail'>) =>
  mailText({
    event: { ...event, id: 'evt_1', at: '2027-01-01T00:00:00.000Z', host, actor: null },
    domain: null,
    name: '',
    project: 'mossy',
    address: 'https://store.example/projects/mossy/settings/domains',
  }).text

describe('a persistent record', () => {
  it('is asked for with its end instead of a deadline, and why the one before it ended', () => {
    const lastsUntil = '2027-01-15T08:00:00.000Z'
    const text = textOf({
      type: 'challenge_requested',
      detail: { ...record, lastsUntil, because: 'expired' },
    })
    expect(text).toContain(`please set this record:\n${record.recordName}  TXT  ${value}\n`)
    expect(text).toContain('It is valid until 15 January 2027: until then, renewals need no other')
    expect(text).toContain('the value of before is not valid any more')
  })

  it('is among those to delete after the removal, with what it means', () => {
    const note = 'We close that account now, which makes the record void.'
    const records = [
      { name: host, type: 'CNAME', value: 'docs.store.example' },
      { name: record.recordName, type: 'TXT', value },
    ]
    const text = textOf({ type: 'removed', detail: { ...record, records, note } })
    expect(text).toContain(
      `take over the name.\n${host}  CNAME  docs.store.example\n${record.recordName}  TXT  ${value}\n\n`,
    )
    expect(text).toContain(`${record.recordName}:\n${note}`)
    expect(textOf({ type: 'removed', detail: {} })).not.toContain('TXT')
  })
})
