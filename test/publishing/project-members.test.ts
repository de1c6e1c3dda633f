// Members of projects: invitations, what each role can do, and the end of a membership. What each operation answers to
// each role is in test/management/authorization.test.ts.

import { describe, expect, it } from 'vitest'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { refusal } from '../running-store.ts'
import { archiveOf } from './archive-of.ts'
import { day, type Person } from './publishing-in-test.ts'
import { owner, publishing, serving } from './serving.ts'

describe.each(cases(engines))('members of projects on %s', (engine) => {
  serving(engine)

  const invite = (slug: string, email: string, role = 'editor', by = owner) =>
    by.post(`/projects/${slug}/invitations`, { email, role })
  const membersOf = async (slug: string, by = owner) =>
    await by.read<{
      owner: { email: string }
      items: { accountId: string; role: string }[]
      invitations: { id: string; email: string }[]
    }>(`/projects/${slug}/members`)
  const upload = (slug: string, text: string, options: object) =>
    publishing.anonymous(`/projects/${slug}/archives`, {
      method: 'POST',
      body: archiveOf({ 'index.html': text }),
      type: 'application/gzip',
      ...options,
    })

  it('accept an invitation of their address, and then find the project everywhere', async () => {
    await owner.create('guide', 'Guide')
    const guest = await publishing.member()
    const invited = await invite('guide', guest.account.email.toUpperCase(), 'viewer')
    expect(invited).toMatchObject({ status: 201, json: { role: 'viewer' } })
    // Nothing is shown before it is accepted.
    expect(await guest.ask('/projects/guide')).toMatchObject(refusal(404, 'project_not_found'))
    const [pending] = await guest.received()
    expect(pending).toMatchObject({
      project: { slug: 'guide', name: 'Guide' },
      role: 'viewer',
      invitedBy: 'Somebody',
    })
    const id = pending?.id
    const stranger = await publishing.member()
    expect(await stranger.answer(id, 'accept')).toMatchObject(refusal(404, 'invitation_not_found'))
    expect((await guest.answer(id, 'accept')).status).toBe(204)
    expect((await guest.answer(id, 'accept')).status).toBe(404)

    expect(await guest.read('/projects')).toMatchObject({
      items: [{ slug: 'guide', role: 'viewer' }],
    })
    expect(await guest.read('/search?text=guid')).toMatchObject({ projects: [{ slug: 'guide' }] })
    expect((await stranger.ask('/search?text=guid')).json).toMatchObject({ projects: [] })
    expect((await owner.ask('/projects/guide')).json).toMatchObject({ role: 'owner' })
    expect(await publishing.operator.read('/projects/guide')).toMatchObject({ role: 'operator' })
    expect(await membersOf('guide', guest)).toMatchObject({
      owner: { email: owner.account.email },
      items: [{ accountId: guest.account.id, role: 'viewer' }],
      invitations: [],
    })
    // It counts as a project of its owner: the plan of a member allows as many as before.
    for (const slug of ['one', 'two', 'three']) await guest.create(`${slug}-of-guest`)
  })

  it('deploy as editors, and not as viewers', async () => {
    await owner.create('wiki', 'Wiki')
    const editor = await publishing.member()
    await owner.addMember('wiki', editor, 'editor')
    const deployed = await editor.deploy('wiki', archiveOf({ 'index.html': 'By an editor' }))
    expect(deployed.state).toBe('live')
    expect((await publishing.visit('wiki')).text).toBe('By an editor')
    const token = await editor.deployToken('wiki')

    const path = `/projects/wiki/members/${editor.account.id}`
    const changed = await owner.patch(path, { role: 'viewer' })
    expect(changed.status).toBe(204)
    const refused = await editor.patch('/projects/wiki', { name: 'Mine' })
    expect(refused).toMatchObject({
      status: 403,
      json: {
        code: 'role_required',
        message: 'You are a viewer of this project. Ask its owner to make you an editor.',
      },
    })
    // The token is revoked: a later promotion does not revive it.
    expect((await upload('wiki', 'By a token', { token })).status).toBe(401)
    expect((await editor.ask('/projects/wiki/deploys')).status).toBe(200)
  })

  it('lose access at once, when removed or when they leave, and their deploy tokens are revoked', async () => {
    await owner.create('notes', 'Notes')
    const [removed, leaving] = [await publishing.member(), await publishing.member()]
    await owner.addMember('notes', removed, 'editor')
    await owner.addMember('notes', leaving, 'viewer')
    const token = await removed.deployToken('notes')
    const pathOf = ({ account }: Person): string => `/projects/notes/members/${account.id}`
    expect((await upload('notes', 'Hello', { token })).status).toBe(201)

    expect((await removed.delete(pathOf(leaving))).status).toBe(403)
    expect((await owner.delete(pathOf(removed))).status).toBe(204)
    expect((await upload('notes', 'Again', { token })).status).toBe(401)
    expect((await removed.ask('/projects/notes')).status).toBe(404)
    expect((await removed.ask('/projects')).json).toMatchObject({ items: [] })
    expect((await leaving.delete(pathOf(leaving))).status).toBe(204)
    expect((await leaving.ask('/projects/notes')).status).toBe(404)
    expect(await owner.delete(pathOf(leaving))).toMatchObject(refusal(404, 'member_not_found'))
    const { json } = await publishing.operator.ask('/audit-log?area=project&limit=6')
    expect((json as { items: { action: string }[] }).items.map(({ action }) => action)).toEqual([
      'project.member_removed',
      'project.member_removed',
      'project.member_joined',
      'project.member_invited',
      'project.member_joined',
      'project.member_invited',
    ])
  })

  it('are invited once, for 14 days, whether or not the address has an account', async () => {
    await owner.create('plans', 'Plans')
    const guest = await publishing.member()
    const { email } = guest.account
    await invite('plans', email, 'viewer')
    expect((await invite('plans', email, 'editor')).status).toBe(201)
    publishing.pass(1000)
    expect((await invite('plans', 'nobody-yet@example.com')).status).toBe(201)
    const { invitations } = await membersOf('plans')
    expect(invitations).toMatchObject([{ email: 'nobody-yet@example.com' }, { email }])
    const revoked = `/projects/plans/invitations/${invitations[0]?.id}`
    expect((await owner.delete(revoked)).status).toBe(204)
    expect((await owner.delete(revoked)).status).toBe(404)

    const [first] = await guest.received()
    expect(first?.role).toBe('editor')
    expect((await guest.answer(first?.id, 'decline')).status).toBe(204)
    expect((await guest.ask('/projects/plans')).status).toBe(404)
    expect((await invite('plans', owner.account.email)).json).toMatchObject({ code: 'conflict' })
    expect((await invite('plans', 'not an address')).json).toMatchObject({
      code: 'invalid_body',
      details: [{ path: 'email' }],
    })

    await invite('plans', email)
    const [second] = await guest.received()
    publishing.pass(14 * day)
    await Promise.all([guest.signIn(), owner.signIn()])
    expect(await guest.received()).toEqual([])
    expect((await guest.answer(second?.id, 'accept')).status).toBe(404)
    expect((await membersOf('plans')).invitations).toEqual([])
  })
})
