// The template of an installation.
import { expect, it } from 'vitest'
import { createTemplate, templateFile } from './connect-template.ts'

const template = createTemplate({
  ...{ providerId: 'example-host.com', providerName: 'Example Host', serviceId: 'docs' },
  ...{ serviceName: 'Documentation', logoUrl: undefined, keyDomain: 'example-host.com' },
  ...{ redirectHost: 'dash.example-host.com', platformHost: 'docs.example-host.com' },
})
it('has a fixed target, and one variable', () => {
  expect(templateFile(template)).toBe('example-host.com.docs.json')
  expect(template.records.map(({ groupId }) => groupId)).toEqual(['site', 'ownership'])
  expect(JSON.stringify(template).match(/%[^%]+%/g)).toEqual(['%verify%'])
})
