// The linter of templates: ours passes, and each mistake is found with its code.
import { expect, it } from 'vitest'
import {
  type ConnectTemplate,
  createTemplate,
  lintTemplate,
  templateFile,
} from './connect-template.ts'

const template = createTemplate({
  ...{ providerId: 'example-host.com', providerName: 'Example Host', serviceId: 'docs' },
  ...{ serviceName: 'Documentation', logoUrl: undefined, keyDomain: 'example-host.com' },
  ...{ redirectHost: 'dash.example-host.com', platformHost: 'docs.example-host.com' },
})
const [site] = template.records
const codes = (change: Partial<ConnectTemplate>) =>
  lintTemplate({ ...template, ...change }).map(({ code }) => code)
const withRecord = (change: object) => codes({ records: [{ ...site, ...change } as never] })

it('finds nothing in the template of an installation, whose target is fixed', () => {
  expect(lintTemplate(template)).toEqual([])
  expect(templateFile(template)).toBe('example-host.com.docs.json')
  expect(template.records.map(({ groupId }) => groupId)).toEqual(['site', 'ownership'])
  expect(JSON.stringify(template).match(/%[^%]+%/g)).toEqual(['%verify%'])
})

it.each([
  ['DCTL1002', () => codes({ providerId: 'Example Host' })],
  ['DCTL0008', () => codes({ serviceName: ' ' })],
  ['DCTL1029', () => codes({ syncPubKeyDomain: '' })],
  ['DCTL1030', () => codes({ records: [] })],
  ['DCTL1012', () => codes({ hostRequired: false })],
  [
    'DCTL1011',
    () => codes({ records: [...template.records, { type: 'A', pointsTo: '192.0.2.1' }] }),
  ],
  ['DCTL1027', () => withRecord({ host: 'a b' })],
  ['DCTL1040', () => withRecord({ pointsTo: '%target%' })],
  ['DCTL1040', () => withRecord({ host: '%name%' })],
  ['DCTL1000', () => withRecord({ ttl: 2 ** 32 })],
  ['DCTL1015', () => withRecord({ ttl: 'an hour' })],
  ['DCTL1034', () => withRecord({ type: 'A', pointsTo: 'host' })],
  ['DCTL1035', () => withRecord({ type: 'A', pointsTo: '2001:db8::1' })],
  ['DCTL1036', () => withRecord({ type: 'AAAA', pointsTo: '192.0.2.1' })],
  ['DCTL1020', () => withRecord({ type: 'TXT', data: '100%' })],
  ['DCTL1009', () => withRecord({ type: 'TXT', data: 'x %state%' })],
] as [string, () => string[]][])('finds %s', (code, lint) => {
  expect(lint()).toContain(code)
})
