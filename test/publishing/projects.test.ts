// Projects over HTTP: created, listed, found, renamed, moved to another slug, deleted.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Project } from '#publishing/projects/schema.ts'
import { engines } from '../database.ts'
import { refusal } from '../running-store.ts'
import { walkPages } from '../walk-pages.ts'
import { archiveOf } from './archive-of.ts'
import { day, expectJson, type Person } from './publishing-in-test.ts'
import { noOrphans } from './publishing-rows.ts'
import { owner, publishing, rows, serving, visit } from './serving.ts'

describe.each(engines)('projects on %s', (engine) => {
  let names = 0
  serving(engine)
  afterAll(async () => expect(await rows.orphans()).toEqual(noOrphans))

  const taken = refusal(409, 'slug_taken')
  const newSlug = () => `slug-${++names}`
  const create = (body: object, person = owner) => person.post('/projects', body)
  const patch = (slug: string, body: object, person = owner) =>
    person.patch(`/projects/${slug}`, body)
  const remove = (slug: string, name: string, person = owner) =>
    person.delete(`/projects/${slug}?name=${encodeURIComponent(name)}`)

  it.each([
    ['My Docs', 'my-docs'],
    ['  Ærøskøbing – Ünïcode №1  ', 'r-sk-bing-unicode-no1'],
    ['A'.repeat(100), 'a'.repeat(63)],
    [`${'b'.repeat(62)} ${'c'.repeat(10)}`, 'b'.repeat(62)],
    ['--x--y--', 'x-y'],
  ])('derives a slug from the name %j', async (name, slug) => {
    const response = await create({ name })
    expect(response).toMatchObject({ status: 201, json: { name, slug, formerSlugs: [] } })
    expect(response.json).toEqual({
      id: expect.any(String),
      slug,
      formerSlugs: [],
      name,
      ownerId: owner.account.id,
      role: 'owner',
      visibility: 'public',
      address: `http://${slug}.docs.localhost:${publishing.store.running.config.httpPort}/`,
      liveDeploy: null,
      lastDeploy: null,
      domains: { count: 0, primary: null, isPrimaryServed: false, attention: [] },
      createdAt: '2027-01-01T00:00:00.000Z',
    })
    expect(await create({ name })).toMatchObject(taken)
  })

  it('generates a slug for a name without Latin letters', async () => {
    const response = await create({ name: '日本語' })
    expect(response.status).toBe(201)
    expect(response.json).toMatchObject({ slug: expect.stringMatching(/^project-[0-9a-f]{8}$/) })
  })

  it.each([
    ['no name', {}, 'name'],
    ['an empty name', { name: '' }, 'name'],
    ['a name of blanks', { name: '   ' }, 'name'],
    ['a name with a control character', { name: 'a\nb' }, 'name'],
    ['a name that is too long', { name: 'x'.repeat(101) }, 'name'],
    ['a name that is not a string', { name: 5 }, 'name'],
    ['a name that is reserved for the platform', { name: 'Admin' }, 'slug'],
    ['an empty slug', { name: 'x', slug: '' }, 'slug'],
    ['a slug in capitals', { name: 'x', slug: 'Docs' }, 'slug'],
    ['a slug that begins with a hyphen', { name: 'x', slug: '-docs' }, 'slug'],
    ['a slug that ends with one', { name: 'x', slug: 'docs-' }, 'slug'],
    ['a slug with a dot', { name: 'x', slug: 'a.b' }, 'slug'],
    ['a slug with a line break', { name: 'x', slug: 'docs\n' }, 'slug'],
    ['a slug of 64 characters', { name: 'x', slug: 'x'.repeat(64) }, 'slug'],
    ['a slug that looks like Punycode', { name: 'x', slug: 'xn--80ak6aa92e' }, 'slug'],
    ...['www', 'api', 'dashboard', 'mail', 'localhost', 'wpad'].map(
      (slug) => [`the reserved slug ${slug}`, { name: 'x', slug }, 'slug'] as const,
    ),
  ] as [string, object, string][])('refuses %s', async (_, body, path) => {
    const response = await create(body)
    expect(response).toMatchObject(refusal(400, 'invalid_body'))
    expect((response.json as { details: object[] }).details).toContainEqual({
      path,
      message: expect.stringMatching(/\w/),
    })
  })

  it('gives a slug to one of several concurrent requests', async () => {
    const slug = newSlug()
    const answers = await Promise.all(Array.from({ length: 8 }, () => create({ name: 'x', slug })))
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([201, ...Array(7).fill(409)])
  })

  it('lists page by page, for a member their own, for an operator all', async () => {
    const member = await publishing.member('paid')
    for (const slug of ['page-c', 'page-a', 'page-b']) await create({ name: slug, slug }, member)
    const list = async (person: Person, query: string) =>
      await person.read<{ items: Project[]; next: string | null }>(`/projects${query}`)
    const slugs = ({ items, next }: Awaited<ReturnType<typeof list>>) => [
      items.map(({ slug }) => slug),
      next,
    ]
    expect(slugs(await list(member, ''))).toEqual([['page-a', 'page-b', 'page-c'], null])
    expect(slugs(await list(member, '?limit=2'))).toEqual([['page-a', 'page-b'], 'page-b'])
    expect(slugs(await list(member, '?limit=2&after=page-b'))).toEqual([['page-c'], null])
    expect(slugs(await list(member, '?limit=3'))).toEqual([['page-a', 'page-b', 'page-c'], null])
    expect(slugs(await list(member, '?after=page-c'))).toEqual([[], null])
    const ofOthers = (await list(owner, '?limit=100')).items
    expect(ofOthers.every(({ ownerId }) => ownerId === owner.account.id)).toBe(true)
    const read = (query: string) => list(publishing.operator, query)
    const all = (await walkPages(read, '?limit=2', 'after')).flat().map(({ slug }) => slug)
    expect(all).toEqual([...new Set(all)].sort())
    expect(all).toEqual(expect.arrayContaining(['page-a', 'my-docs']))
    expect(all).toHaveLength((await rows.count()).projects)
    for (const query of ['?limit=0', '?limit=101', '?after=A']) {
      expect(await member.ask(`/projects${query}`), query).toMatchObject(
        refusal(400, 'invalid_parameter'),
      )
    }
  })

  it('is renamed, moves to another slug, and redirects from the earlier ones', async () => {
    const [a, b, c] = [newSlug(), newSlug(), newSlug()]
    await owner.publish(a, { 'index.html': 'here', 'guide/x.html': 'x' })
    expect((await patch(a, { name: 'After' })).json).toMatchObject({ name: 'After', slug: a })
    expect((await owner.ask(`/projects/${a}`)).json).toMatchObject({ name: 'After' })
    expect(await patch(a, {})).toMatchObject({ status: 200, json: { name: 'After' } })
    const { httpPort } = publishing.store.running.config
    const origin = (slug: string) => `http://${slug}.docs.localhost:${httpPort}`
    expect((await patch(a, { slug: b })).json).toMatchObject({ slug: b, formerSlugs: [a] })
    const moved = await visit(a, '/guide/x?q=1&q=%C3%BC')
    expect([301, 308]).toContain(moved.status)
    expect(moved.headers.location).toBe(`${origin(b)}/guide/x?q=1&q=%C3%BC`)
    expect((await visit(b)).text).toBe('here')
    // A chain of slugs redirects in one hop.
    expect((await patch(a, { slug: c })).json).toMatchObject({ slug: c, formerSlugs: [a, b] })
    for (const slug of [a, b]) {
      expect((await visit(slug, '/guide/x')).headers.location).toBe(`${origin(c)}/guide/x`)
      expect((await owner.ask(`/projects/${slug}`)).json).toMatchObject({ slug: c })
    }
    const deploy = await owner.deploy(b, archiveOf({ 'index.html': 'by a former slug' }))
    expect(deploy.state).toBe('live')
    // No other project can take an earlier slug, not even of the same owner; this project can.
    const other = await publishing.member()
    for (const person of [other, owner, publishing.operator]) {
      expect(await create({ name: 'x', slug: a }, person)).toMatchObject(taken)
    }
    const another = newSlug()
    await owner.create(another)
    expect(await patch(another, { slug: b })).toMatchObject(taken)
    expect((await patch(c, { slug: a })).json).toMatchObject({ slug: a, formerSlugs: [b, c] })
    expect((await visit(a)).text).toBe('by a former slug')
    expect((await visit(c)).headers.location).toBe(`${origin(a)}/`)
    expect((await patch(a, { slug: 'www' })).json).toMatchObject({ code: 'invalid_body' })
  })

  it('can have had twenty slugs', async () => {
    const first = newSlug()
    await owner.create(first)
    for (let i = 1; i <= 20; i++) {
      expect((await patch(first, { slug: `${first}-${i}` })).status).toBe(200)
    }
    expect(await patch(first, { slug: `${first}-21` })).toMatchObject(refusal(409, 'limit_reached'))
    expect((await patch(first, { slug: first })).status).toBe(200)
  })

  it('is deleted with all its data, after its name was typed', async () => {
    const [slug, before, other] = [newSlug(), newSlug(), newSlug()]
    await owner.create(before, 'The “Name” & more')
    await patch(before, { slug })
    await owner.create(other)
    const shared = { 'index.html': 'shared by two' }
    await owner.deploy(slug, archiveOf({ ...shared, 'own.html': `only of ${slug}` }))
    await owner.deploy(other, archiveOf(shared))
    const counted = await rows.count()
    for (const name of ['', slug, 'the “name” & more']) {
      expect(await remove(slug, name), name).toMatchObject(
        refusal(400, 'invalid_parameter', 'name'),
      )
    }
    expect((await owner.delete(`/projects/${slug}`)).status).toBe(400)
    expect((await visit(slug)).text).toBe('shared by two')
    expect((await remove(slug, 'The “Name” & more')).status).toBe(204)
    expect((await visit(slug)).status).toBe(404)
    expect((await visit(slug, '/own')).status).toBe(404)
    expect((await visit(before)).status).toBe(404)
    for (const path of ['', '/deploys', '/deploys/1']) {
      const gone = await owner.ask(`/projects/${slug}${path}`)
      expect(gone).toMatchObject(refusal(404, 'project_not_found'))
    }
    expect((await visit(other)).text).toBe('shared by two')
    await expect
      .poll(() => rows.count())
      .toEqual({
        ...counted,
        projects: counted.projects - 1,
        deploys: counted.deploys - 1,
        deploy_sources: counted.deploy_sources - 2,
        deploy_files: counted.deploy_files - 2,
        files: counted.files - 1,
      })
    expect((await visit(other)).text).toBe('shared by two')
  })

  it("keeps a deleted project's slugs for its owner, for 90 days", async () => {
    const [slug, before] = [newSlug(), newSlug()]
    const other = await publishing.member()
    await owner.create(before, 'Kept')
    await patch(before, { slug })
    await remove(slug, 'Kept')
    for (const kept of [slug, before]) {
      expect(await create({ name: 'x', slug: kept }, other)).toMatchObject(taken)
    }
    expect((await create({ name: 'Again', slug: before })).status).toBe(201)
    await remove(before, 'Again')
    publishing.pass(90 * day - 1)
    for (const person of [owner, other, publishing.operator]) await person.signIn()
    expect(await create({ name: 'x', slug }, other)).toMatchObject(taken)
    publishing.pass(1)
    expect((await create({ name: 'x', slug }, other)).status).toBe(201)
    expect(await create({ name: 'x', slug })).toMatchObject(taken)
    // The other slug was deleted at the same moment, by the test's clock.
    expect((await create({ name: 'x', slug: before }, other)).status).toBe(201)
  })

  it('clears what an earlier site left in browsers, for 30 days after its slug was taken again', async () => {
    const [slug, former] = [newSlug(), newSlug()]
    const other = await publishing.member('paid')
    const cleared = async (at: string, destination?: string) => {
      const headers = destination === undefined ? {} : { 'sec-fetch-dest': destination }
      return (await visit(at, '/', { headers })).headers['clear-site-data']
    }
    const publish = async (person: Person, at: string) => {
      await person.publish(at, { 'index.html': 'here' }, 'Docs')
    }
    await publish(owner, slug)
    expect(await cleared(slug)).toBeUndefined()
    // Its own former slug.
    await patch(slug, { slug: former })
    await patch(former, { slug })
    expect(await cleared(slug)).toBeUndefined()
    await remove(slug, 'Docs')
    publishing.pass(90 * day)
    for (const person of [owner, other, publishing.operator]) await person.signIn()
    await publish(other, slug)
    for (const destination of [undefined, 'document', 'iframe', 'serviceworker'])
      expect(await cleared(slug, destination)).toBe('"cache", "storage"')
    for (const destination of ['image', 'script', 'empty'])
      expect(await cleared(slug, destination)).toBeUndefined()
    // A project that moves to it.
    await patch(slug, { slug: former }, other)
    expect(await cleared(former)).toBe('"cache", "storage"')
    publishing.pass(30 * day)
    expect(await cleared(former)).toBeUndefined()
    for (const person of [owner, other, publishing.operator]) await person.signIn()
  })

  it('limits the slugs reserved by deletion to a hundred', async () => {
    const [hoarder, other] = [await publishing.member(), await publishing.member()]
    const base = newSlug()
    for (let i = 0; i <= 100; i++) {
      await hoarder.create(`${base}-${i}`)
      await remove(`${base}-${i}`, `${base}-${i}`, hoarder)
      publishing.pass(1)
    }
    expect((await create({ name: 'x', slug: `${base}-1` }, other)).status).toBe(409)
    expect((await create({ name: 'x', slug: `${base}-0` }, other)).status).toBe(201)
  })

  it('allows as many as the plan includes', async () => {
    const member = await publishing.member()
    const slugs = [newSlug(), newSlug(), newSlug(), newSlug()]
    for (const slug of slugs.slice(0, 3)) await member.create(slug)
    const body = { name: 'x', slug: slugs[3] }
    expect(await create(body, member)).toMatchObject({
      status: 409,
      json: { code: 'limit_reached', message: expect.stringContaining('3 projects') },
    })
    await remove(slugs[0] as string, slugs[0] as string, member)
    expect((await create(body, member)).status).toBe(201)
    const paid = { method: 'PATCH', body: { plan: 'paid' } }
    await publishing.operator.ask(`/accounts/${member.account.id}`, paid)
    expect((await create({ name: 'x', slug: newSlug() }, member)).status).toBe(201)
    // An account that owns projects cannot be removed.
    const removal = await publishing.operator.delete(`/accounts/${member.account.id}`)
    expect(removal.status).toBe(409)
  })

  it("lets an operator change every project, within its owner's plan", async () => {
    const member = await publishing.member()
    const slug = newSlug()
    await member.create(slug)
    const { operator } = publishing
    const own = await operator.deploy(slug, archiveOf({ 'index.html': 'by the operator' }))
    expect(own.createdBy).toBe(operator.account.id)
    const files = Array.from({ length: 5001 }, (_, i) => ({ path: `${i}`, hash: 'a'.repeat(64) }))
    const deploy = await operator.post(`/projects/${slug}/deploys`, { files })
    expect(deploy.status).toBe(409)
    expect((await patch(slug, { name: 'Renamed' }, operator)).json).toMatchObject({
      ownerId: member.account.id,
    })
    expect((await remove(slug, 'Renamed', operator)).status).toBe(204)
    expect((await visit(slug)).status).toBe(404)
  })

  it('refuses names that would be read as others, wherever they are shown', async () => {
    const slug = newSlug()
    await owner.create(slug)
    const settings = {
      ...{ description: null, colour: null, logo: null, favicon: null },
      ...{ navigation: [], redirects: '' },
    }
    const named: [string, string, (name: string) => object][] = [
      ['POST', '/projects', (name) => ({ name, slug: newSlug() })],
      ['PATCH', `/projects/${slug}`, (name) => ({ name })],
      ['PATCH', '/account', (name) => ({ name })],
      ['POST', '/account/tokens', (label) => ({ label })],
      ['POST', `/projects/${slug}/tokens`, (label) => ({ label })],
      ['PUT', `/projects/${slug}/site-settings`, (title) => ({ title, ...settings })],
    ]
    for (const [method, path, body] of named) {
      const isRefused = async (name: string) =>
        (await owner.ask(path, { method, body: body(name) })).status === 400
      // Turned around by the second character; nothing to see; two lines; text in both directions.
      const names = ['gpj.\u202eexe', 'a\u2066b\u2069', '\u200b', 'a\nb', 'שלום \u200fabc 👩‍🚒']
      const found = await Promise.all(names.map(isRefused))
      expect([path, found]).toEqual([path, [true, true, true, true, false]])
    }
  })

  describe('the search', () => {
    let rosa: Person
    beforeAll(async () => {
      rosa = await publishing.member('paid')
      await rosa.create('handbook', 'Rosa_s Handbook')
      await (await publishing.member()).create('other-handbook', 'Other')
      await rosa.deployFolder('handbook', { 'index.html': 'x' })
      const body = { host: 'docs.rosa.example' }
      expectJson(await rosa.post('/projects/handbook/domains', body), 201)
    })

    const find = async (text: string, by: Person) =>
      await by.read(`/search?text=${encodeURIComponent(text)}`)

    it('finds projects and domains by any part of their names', async () => {
      const { operator } = publishing
      const own = { slug: 'handbook', name: 'Rosa_s Handbook' }
      const other = { slug: 'other-handbook', name: 'Other' }
      expect(await find('HANDBOOK', rosa)).toEqual({ projects: [own], domains: [] })
      expect(await find('handbook', operator)).toMatchObject({ projects: [own, other] })
      const domains = [{ host: 'docs.rosa.example', project: own }]
      expect(await find('rosa.ex', rosa)).toEqual({ projects: [], domains })
      expect(await find('_s', operator)).toEqual({ projects: [own], domains: [] })
      for (const none of ['%', '_', ' ', 'nothing'])
        expect(await find(none, await publishing.member())).toEqual({ projects: [], domains: [] })
    })

    it('lists names that begin with the text first', async () => {
      const { member } = publishing
      const other = await member('paid')
      for (const slug of ['changelog', 'hare']) await other.create(slug)
      expect(await find('ha', other)).toMatchObject({
        projects: [{ slug: 'hare' }, { slug: 'changelog' }],
      })
    })

    it('refuses what PostgreSQL cannot compare', async () => {
      const { operator } = publishing
      for (const path of ['/search?', '/accounts?', '/store/staging/search?']) {
        const refused = await operator.ask(`${path}text=%00`)
        expect(refused).toMatchObject(refusal(400, 'invalid_parameter'))
      }
      expect((await operator.ask('/store/staging/pets?name=a%00')).status).toBe(400)
    })

    it('finds accounts by name and email address, for operators', async () => {
      const { operator } = publishing
      const found = await operator.ask(`/accounts?text=${rosa.account.email.toUpperCase()}`)
      expect(expectJson(found, 200)).toMatchObject({ items: [{ id: rosa.account.id }], next: null })
      expect((await operator.ask('/accounts?text=%25')).json).toMatchObject({ items: [] })
    })
  })
})
