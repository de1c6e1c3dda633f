// What a deploy says about itself: its message, its author, and whether it came from the dashboard or with a token.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contentHash } from '#publishing/deploys/files.ts'
import type { Deploy } from '#publishing/deploys/records/schema.ts'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { zipOf } from './archive-of.ts'
import {
  expectJson,
  type Person,
  type PublishingInTest,
  startPublishing,
} from './publishing-in-test.ts'

const archive = { body: zipOf({ 'index.html': 'Hello' }), type: 'application/zip' }

describe.each(cases(engines))('the origin of a deploy on %s', (engine) => {
  let publishing: PublishingInTest
  let member: Person
  beforeAll(async () => {
    publishing = await startPublishing(engine)
    member = await publishing.member()
    await member.create('docs')
  })
  afterAll(() => publishing.release())

  it('is a person with a session', async () => {
    const created = await member.ask('/projects/docs/archives?message=Fix%20a%20typo', archive)
    expect(expectJson(created, 201)).toMatchObject({
      message: 'Fix a typo',
      createdBy: member.account.id,
      createdByName: member.account.name,
      createdVia: 'session',
      tokenLabel: null,
    })
  })

  it('is a token, which may be deleted', async () => {
    const body = { label: 'GitHub', scopes: ['deploys:write', 'projects:read'] }
    const made = expectJson(await member.ask('/account/tokens', { body }), 201) as {
      id: string
      token: string
    }
    const { token } = made
    const content = Buffer.from('From a token')
    const hash = contentHash(content)
    const upload = { method: 'PUT', body: content, type: 'application/octet-stream', token }
    await member.ask(`/projects/docs/files/${hash}`, upload)
    const deploy = { files: [{ path: 'index.html', hash }], message: '  Add the guide ' }
    const created = await member.ask('/projects/docs/deploys', { body: deploy, token })
    const { number } = expectJson(created, 201) as Deploy
    await member.ask(`/account/tokens/${made.id}`, { method: 'DELETE' })
    expect((await member.ask(`/projects/docs/deploys/${number}`)).json).toMatchObject({
      message: 'Add the guide',
      createdByName: member.account.name,
      createdVia: 'token',
      tokenLabel: 'GitHub',
    })
  })

  it('is an account that was renamed since', async () => {
    await member.ask('/account', { method: 'PATCH', body: { name: 'Maxine' } })
    const { items } = (await member.ask('/projects/docs/deploys')).json as { items: Deploy[] }
    expect(items.map(({ createdByName }) => createdByName)).toEqual(['Maxine', 'Maxine'])
  })

  it('has a message of one line and at most 200 characters', async () => {
    for (const message of ['two\nlines', 'x'.repeat(201)]) {
      const query = new URLSearchParams({ message })
      const refused = await member.ask(`/projects/docs/archives?${query}`, archive)
      expect(refused.status).toBe(400)
      expect(refused.json).toMatchObject({
        code: 'invalid_parameter',
        details: [{ path: 'message' }],
      })
    }
    const longest = '\u{1f98a}'.repeat(200)
    const query = new URLSearchParams({ message: longest })
    const accepted = await member.ask(`/projects/docs/archives?${query}`, archive)
    expect(expectJson(accepted, 201)).toMatchObject({ message: longest })
  })
})
