import { expect, it } from 'vitest'
import { findMisspeltSettings, formerVariables, readConfig } from './config.ts'
import { variables } from './variables.ts'

it.each(Object.entries(formerVariables).flatMap(([now, all]) => all.map((one) => [one, now])))(
  '%s of earlier versions is refused, and named %s',
  (former = '', now = '') => {
    expect(Object.keys(variables)).not.toContain(former)
    expect(() => readConfig({ [former]: 'x' })).toThrow(
      `${former} is no longer a setting: its value is part of ${now}, which accepts `,
    )
    expect(readConfig({ [former]: '' })).toEqual(readConfig({}))
  },
)

it('reads a provider with what it allows', () => {
  const url =
    'https://an%20id:s%40cret@id.example.com/tenant/?name=Example%20ID&email_domains=A.example,b.example&create_accounts=on'
  expect(readConfig({ OIDC_URL: url }).identityProvider).toEqual({
    issuer: new URL('https://id.example.com/tenant/'),
    clientId: 'an id',
    clientSecret: 's@cret',
    name: 'Example ID',
    emailDomains: ['a.example', 'b.example'],
    createsAccounts: true,
    trustedRoots: undefined,
  })
  for (const wrong of [
    'https://id.example.com',
    'https://id@id.example.com',
    'http://id:secret@id.example.com',
    'https://id:secret@id.example.com?nam=x',
    'https://id:secret@id.example.com?create_accounts=yes',
    'https://id:secret@id.example.com?email_domains=',
  ])
    expect(() => readConfig({ OIDC_URL: wrong }), wrong).toThrow(
      /^OIDC_URL cannot be what it was given: /,
    )
  expect(() =>
    readConfig({ OIDC_URL: 'https://id:secret@login.microsoftonline.com/common/v2.0' }),
  ).toThrow('it stands for every organisation')
})

it('reads a bucket', () => {
  const url =
    'https://key:a%2Fb%2B@s3.example.com/bucket/prefix/?region=eu-1&take_over=0123456789abcdef'
  expect(readConfig({ OBJECT_STORAGE_URL: url }).objectStorage).toEqual({
    url: new URL('https://s3.example.com/bucket/prefix'),
    region: 'eu-1',
    accessKey: 'key',
    secretKey: 'a/b+',
    takeOver: '0123456789abcdef',
    move: 'out',
  })
  for (const wrong of ['https://s3.example.com/bucket', 'https://key:secret@s3.example.com/'])
    expect(() => readConfig({ OBJECT_STORAGE_URL: wrong }), wrong).toThrow(
      /^OBJECT_STORAGE_URL cannot/,
    )
})

it('allows each kind of check what its own entries name, and nothing else', () => {
  const allowedBy = (text: string) => {
    const { dnsAllow, domainConnect, probeAllow } = readConfig({ CHECK_ALLOW: text })
    return { dns: dnsAllow, http: probeAllow, connect: domainConnect.allow }
  }
  const none = { dns: [], http: [], connect: [] }
  expect(allowedBy('')).toEqual(none)
  expect(allowedBy('dns:10.0.0.0/8:5353')).toEqual({ ...none, dns: ['10.0.0.0/8:5353'] })
  expect(allowedBy('http:10.0.0.1:8080')).toEqual({ ...none, http: ['10.0.0.1:8080'] })
  expect(allowedBy('connect:10.0.0.1')).toEqual({ ...none, connect: ['10.0.0.1'] })
  expect(allowedBy('dns:[::1]:53, http:127.0.0.1,dns:10.0.0.1')).toEqual({
    ...none,
    dns: ['[::1]:53', '10.0.0.1'],
    http: ['127.0.0.1'],
  })
  for (const wrong of [
    '10.0.0.0/8',
    'all:10.0.0.0/8',
    'connect:10.0.0.1:443',
    'dns:',
    'dns:10.0.0.1,',
  ])
    expect(() => allowedBy(wrong), wrong).toThrow(/^CHECK_ALLOW cannot be /)
  const { metricsAllow, projectWebhookAllow, webhookAllow } = readConfig({
    CHECK_ALLOW: 'http:10.0.0.1',
  })
  expect([metricsAllow, projectWebhookAllow, webhookAllow]).toEqual([[], [], []])
})

it('names the setting that a misspelt variable was meant to be', () => {
  const env = {
    HTTP_PROT: '1',
    http_port: '1',
    DATA_DIR: '/data',
    HTTP_PROXY: 'http://a',
    PATH: '',
  }
  expect(findMisspeltSettings(env)).toEqual([
    'HTTP_PROT is not a setting; did you mean HTTP_PORT?',
    'http_port is not a setting; did you mean HTTP_PORT?',
  ])
})

it('reads two authorities, a binding, two files, a template and a sender', () => {
  const config = readConfig({
    ACME_DIRECTORY: 'https://a.example/dir, https://b.example/dir',
    ACME_EAB: 'kid:1:a-_b=',
    PLATFORM_CERTIFICATE_FILE: '/c.pem,/k.pem',
    DOMAIN_CONNECT_TEMPLATE: 'example.com/site@keys.example.net',
    SMTP_URL: 'smtp://mail.example.com?from=The%20Store%20%3Ca@example.com%3E',
  })
  expect(config.acme).toMatchObject({
    directory: 'https://a.example/dir',
    fallbackDirectory: 'https://b.example/dir',
    binding: { keyId: 'kid:1', macKey: 'a-_b=' },
  })
  expect(config.ownCertificate).toEqual({ chainFile: '/c.pem', keyFile: '/k.pem' })
  const template = { providerId: 'example.com', serviceId: 'site', keyDomain: 'keys.example.net' }
  expect(config.domainConnect.template).toEqual(template)
  expect(config.mail).toMatchObject({ host: 'mail.example.com', from: 'The Store <a@example.com>' })
  expect(readConfig({ DOMAIN_CONNECT_TEMPLATE: 'example.com' }).domainConnect.template).toEqual({
    providerId: 'example.com',
    serviceId: 'docs',
    keyDomain: 'example.com',
  })
  for (const [name, wrong] of [
    ['ACME_DIRECTORY', 'internal,https://a.example/dir'],
    ['ACME_EAB', 'kid'],
    ['PLATFORM_CERTIFICATE_FILE', 'a.pem,b.pem,c.pem'],
    ['DOMAIN_CONNECT_TEMPLATE', 'localhost'],
    ['SMTP_URL', 'smtp://mail.example.com?from=nobody'],
  ] as const)
    expect(() => readConfig({ [name]: wrong }), name).toThrow(`${name} cannot be `)
})
