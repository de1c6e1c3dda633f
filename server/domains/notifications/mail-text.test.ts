import { expect, it } from 'vitest'
import type { StreamedEvent } from '../api/event-schema.ts'
import { mailText } from './mail-text.ts'

const host = 'docs.mossy.example'
const value = 'LoqXcYV8q5ONbJQxbmR7SCTNo3tiAXDfowyjxAjEuX0'
const record = { recordName: `_acme-challenge.${host}`, recordValue: value }
const textOf = (event: Pick<StreamedEvent['event'], 'type' | 'detail'>) =>
  mailText({
    event: { ...event, id: 'evt_1', at: '2027-01-01T00:00:00.000Z', host, actor: null },
    domain: null,
    name: '',
    project: 'mossy',
    address: 'https://store.example/projects/mossy/settings/domains',
  }).text

it('says why a record needs another value', () => {
  const until = '2027-01-15T08:00:00.000Z'
  const detail = { ...record, until, because: 'expired' } as const
  const text = textOf({ type: 'challenge_requested', detail })
  expect(text).toContain(
    `please set this record until 15 January 2027, 08:00 UTC:\n${record.recordName}  TXT  ${value}\n`,
  )
  expect(text).toContain('The old value is not valid any more')
})

it('says that only the operator can solve what is about the account', () => {
  const problem = 'Terms have changed; https://authority.example/terms'
  expect(textOf({ type: 'failed', detail: { code: 'T10', problem } })).toContain(
    `${problem}\n\nYou don't need to do anything: only the operator`,
  )
  expect(textOf({ type: 'failed', detail: { code: 'caa', problem } })).not.toContain('operator')
})

it('lists the records to delete after a removal', () => {
  const records = [
    { name: host, type: 'CNAME', value: 'docs.store.example' },
    { name: record.recordName, type: 'TXT', value },
  ]
  expect(textOf({ type: 'removed', detail: { records } })).toContain(
    `take over the name.\n${host}  CNAME  docs.store.example\n${record.recordName}  TXT  ${value}\n\n`,
  )
  expect(textOf({ type: 'removed', detail: {} })).not.toContain('TXT')
})

it('does not say that a domain points elsewhere that cannot be looked up', () => {
  const text = textOf({ type: 'at_risk', detail: { because: 'lookup' } })
  expect(text).toContain(`Two checks in a row could not look ${host} up`)
  expect(text).not.toMatch(/points|certificate/)
})
