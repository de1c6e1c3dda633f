// The program for the tests of a describe block, with what most of them need. Each is there once the block has begun.
import { afterAll, beforeAll } from 'vitest'
import type { Project } from '#publishing/projects/schema.ts'
import type { Engine } from '../database.ts'
import type { StartOptions } from '../running-store.ts'
import { type Person, type PublishingInTest, startPublishing } from './publishing-in-test.ts'
import { openPublishingRows, type PublishingRows } from './publishing-rows.ts'

export let publishing: PublishingInTest
export let rows: PublishingRows
/** A member on the paid plan. */
export let owner: Person
/** Of the project that `newProject` created last. */
export let slug = ''

let projects = 0

/** Starts it before the tests of the block, and stops it after them. */
export function serving(engine: Engine, options: StartOptions = {}): void {
  beforeAll(async () => {
    publishing = await startPublishing(engine, options)
    rows = openPublishingRows(publishing.store.place)
    owner = await publishing.member('paid')
  })
  afterAll(async () => {
    await rows.close()
    await publishing.release()
  })
}

export async function newProject(by = owner, name?: string): Promise<Project> {
  slug = `docs-${++projects}`
  return await by.create(slug, name)
}

export const visit: PublishingInTest['visit'] = (...request) => publishing.visit(...request)
