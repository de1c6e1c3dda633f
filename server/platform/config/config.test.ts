import { expect, it } from 'vitest'
import { formerVariables, readConfig } from './config.ts'
import { variables } from './variables.ts'

it.each(Object.entries(formerVariables))(
  '%s of earlier versions is refused, and named %s',
  (former, now) => {
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
