// The outline of a deploy's front page, from which the dashboard draws a picture of the site; and what a project says
// about its last deploy.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { zipOf } from './archive-of.ts'
import { type Person, type PublishingInTest, startPublishing } from './publishing-in-test.ts'

describe.each(cases(engines))('outlines on %s', (engine) => {
  let publishing: PublishingInTest
  let member: Person
  beforeAll(async () => {
    publishing = await startPublishing(engine)
    member = await publishing.member()
    await member.create('docs')
  })
  afterAll(() => publishing.release())

  const outlineOf = (number: number) => member.ask(`/projects/docs/deploys/${number}/outline`)

  it('show Markdown with the theme', async () => {
    await member.deploy('docs', zipOf({ 'index.md': '# Hello\n\nWelcome.\n' }))
    expect(await outlineOf(1)).toMatchObject({
      status: 200,
      json: {
        kind: 'rendered',
        title: 'docs',
        blocks: [
          { kind: 'h1', text: 'Hello' },
          { kind: 'text', text: 'Welcome.' },
        ],
      },
    })
  })

  it('show a finished site with the colours of its style sheets', async () => {
    const page =
      '<title>Shop</title><link rel=stylesheet href="/assets/a%20b.css?1"><link rel=stylesheet href=https://example.com/x.css><h1>Hi</h1>'
    const site = { 'index.html': page, 'assets/a b.css': 'body{background:#202020;color:#eee}' }
    await member.deploy('docs', zipOf(site))
    expect((await outlineOf(2)).json).toMatchObject({
      kind: 'ready',
      title: 'Shop',
      blocks: [{ kind: 'h1', text: 'Hi' }],
      colours: { background: '#202020', text: '#eeeeee', accent: null },
    })
  })

  it('are empty of a failed deploy, which the project names as its last', async () => {
    await member.deploy('docs', zipOf({ 'a.txt': 'Nothing to publish' }))
    expect((await outlineOf(3)).json).toMatchObject({ title: '', blocks: [] })
    expect((await member.ask('/projects/docs')).json).toMatchObject({
      liveDeploy: { number: 2 },
      lastDeploy: { number: 3, state: 'failed' },
    })
  })

  it('are shown to nobody else', async () => {
    const other = await publishing.member()
    expect((await other.ask('/projects/docs/deploys/1/outline')).status).toBe(404)
    expect((await publishing.anonymous('/projects/docs/deploys/1/outline')).status).toBe(401)
  })
})
