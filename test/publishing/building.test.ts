// Deploys during their build, in a process that the test controls: what overtakes or ends them, and that a process
// without the claim cannot change them.

import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { LeaseLostError } from '#kit/jobs/lease.ts'
import { claimDeployTransaction as again, deployLeases } from '#publishing/deploys/claims.ts'
import { removeBuilt } from '#publishing/deploys/files.ts'
import { failDeployTransaction } from '#publishing/deploys/finish-deploy.ts'
import type { Project } from '#publishing/projects/schema.ts'
import { DeployFailure } from '#renderer/site-files/site-file.ts'
import { cases } from '../cases.ts'
import { engines } from '../database.ts'
import { archiveOf } from './archive-of.ts'
import { type HeldDeploy, holdDeploy } from './held-deploy.ts'
import type { Files } from './publishing-in-test.ts'
import { noOrphans } from './publishing-rows.ts'
import { newProject, owner, publishing, rows, serving, slug } from './serving.ts'

const page = (text: string): Files => ({ 'index.html': text })

describe.each(cases(engines))('building on %s', (engine) => {
  let project: Project
  serving(engine)
  afterAll(async () => expect(await rows.orphans()).toEqual(noOrphans))
  beforeEach(async () => {
    project = await newProject()
  })

  function hold(files: Files): Promise<HeldDeploy> {
    return holdDeploy(rows.database, () => publishing.store.clock.now, project.id, files)
  }

  const deploy = (text: string) => owner.deploy(slug, archiveOf(page(text)))
  const seen = async () => (await publishing.visit(slug)).text
  const state = async (number: number) =>
    (await owner.read<{ state: string }>(`/projects/${slug}/deploys/${number}`)).state
  const restore = (number: number) => owner.post(`/projects/${slug}/deploys/${number}/restore`)

  it('an older deploy does not replace a newer one', async () => {
    const slow = await hold(page('one'))
    await deploy('two')
    await slow.finish()
    expect([await state(1), await state(2), await seen()]).toEqual(['superseded', 'live', 'two'])
    expect((await restore(1)).status).toBe(200)
    expect(await seen()).toBe('one')
  })

  it('goes live although a preview was deployed later', async () => {
    const first = await hold(page('one'))
    const preview = await owner.deploy(slug, archiveOf(page('draft')), '?preview=branch')
    expect(preview).toMatchObject({ number: 2, state: 'preview' })
    await first.finish()
    expect([await state(1), await state(2), await seen()]).toEqual(['live', 'preview', 'one'])
  })

  it('nor when an earlier one was restored in between', async () => {
    await deploy('one')
    const slow = await hold(page('two'))
    await deploy('three')
    await restore(1)
    await slow.finish()
    expect([await state(1), await state(2), await seen()]).toEqual(['live', 'superseded', 'one'])
  })

  it('a deploy is invisible until it is complete', async () => {
    await deploy('one')
    const slow = await hold({ ...page('two'), 'new.html': 'new' })
    await slow.publish('index.html')
    await slow.publish('new.html')
    expect(await seen()).toBe('one')
    expect((await publishing.visit(slug, '/new')).status).toBe(404)
    expect((await restore(2)).json).toMatchObject({ code: 'conflict' })
    await slow.finish()
    expect([await seen(), (await publishing.visit(slug, '/new')).text]).toEqual(['two', 'new'])
  })

  it('long polling returns its progress', async () => {
    const slow = await hold({ ...page('one'), 'new.html': 'new' })
    const wait = (after: string) => owner.ask(`/projects/${slug}/deploys/1?wait=25&after=${after}`)
    const first = wait('building:0')
    await slow.publish('index.html')
    expect((await first).json).toMatchObject({ state: 'building', siteFiles: 1, siteBytes: 3 })
    const second = wait('building:1')
    await slow.finish()
    expect(['building', 'live']).toContain(((await second).json as { state: string }).state)
    expect((await owner.finished(slug, 1)).state).toBe('live')
  })

  it('long polling returns at the time-out, or when the deploy is deleted', async () => {
    await hold(page('one'))
    const late = await owner.ask(`/projects/${slug}/deploys/1?wait=1`)
    expect(late).toMatchObject({ status: 200, json: { state: 'building' } })
    const waiting = owner.ask(`/projects/${slug}/deploys/1?wait=25`)
    await owner.delete(`/projects/${slug}?name=${slug}`)
    // Whichever of the two is asked for first after the project is gone.
    expect((await waiting).json).toMatchObject({
      code: expect.stringMatching(/^(deploy|project)_not_found$/),
    })
  })

  it('ends when its project is deleted, and leaves nothing', async () => {
    await deploy('one')
    const slow = await hold({ ...page('two'), 'new.html': 'new' })
    await slow.publish('index.html')
    await owner.delete(`/projects/${slug}?name=${slug}`)
    await expect(slow.publish('new.html')).rejects.toThrow(LeaseLostError)
    await expect(slow.finish()).rejects.toThrow(LeaseLostError)
    await expect(removeBuilt(rows.database, slow.claim, 0)).rejects.toThrow(LeaseLostError)
    expect((await publishing.visit(slug)).status).toBe(404)
    await publishing.store.running.publishing.maintain()
    const left = async () => (await rows.states()).filter((one) => one.endsWith('removed'))
    await expect.poll(left).toEqual([])
    await expect.poll(() => rows.orphans()).toEqual(noOrphans)
  })

  it('is taken over after the claim expires, and the first process cannot change it', async () => {
    const silent = await hold({ ...page('one'), 'new.html': 'new' })
    await silent.publish('new.html')
    publishing.pass(deployLeases.durationMs)
    await publishing.store.running.publishing.maintain()
    expect(await state(1)).toBe('building')
    publishing.pass(1)
    await publishing.store.running.publishing.maintain()
    expect(await owner.finished(slug, 1)).toMatchObject({ state: 'live', siteFiles: 2 })
    const { claim } = silent
    const failure = new DeployFailure('The build took too long.')
    await expect(silent.publish('index.html')).rejects.toThrow(LeaseLostError)
    await expect(removeBuilt(rows.database, claim, 0)).rejects.toThrow(LeaseLostError)
    await expect(
      failDeployTransaction(rows.database, {
        claim,
        failure,
        now: publishing.store.clock.now,
      }),
    ).rejects.toThrow(LeaseLostError)
    await expect(silent.finish()).rejects.toThrow(LeaseLostError)
    expect([await seen(), (await publishing.visit(slug, '/new')).text]).toEqual(['one', 'new'])
  })

  it('fails when its builders die repeatedly', async () => {
    await deploy('good')
    await hold(page('poison'))
    // Their clocks are ahead, so that no local builder claims it first.
    for (let restarts = 1; restarts < 4; restarts++) {
      const now = publishing.store.clock.now + restarts * (deployLeases.durationMs + 1)
      const claim = await rows.database.write(again, { token: `lease-${restarts}`, now })
      expect(claim).toMatchObject({ number: 2, attempts: restarts + 1 })
    }
    publishing.pass(5 * deployLeases.durationMs)
    await publishing.store.running.publishing.maintain()
    expect(await owner.finished(slug, 2)).toMatchObject({
      state: 'failed',
      failure: { message: expect.stringContaining('internal error'), file: null, line: null },
    })
    expect(await seen()).toBe('good')
  })

  it('stores a failure reason with any quoted text', async () => {
    const slow = await hold(page('one'))
    const failure = new DeployFailure(`quoted \0 and \ud800 ${'x'.repeat(100_000)}`, {
      file: 'a\0b',
    })
    const now = publishing.store.clock.now
    await failDeployTransaction(rows.database, { claim: slow.claim, failure, now })
    const failed = await owner.finished(slug, 1)
    expect(failed.failure?.message).toMatch(/^quoted \ufffd and \ufffd x{100,}…$/)
    expect(failed.failure).toMatchObject({ file: 'a\ufffdb' })
    expect(failed.failure?.message.length).toBeLessThan(3000)
  })
})
