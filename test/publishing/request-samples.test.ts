// The request samples of the store's own reference, run as printed against the store, in each language.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type PublishedDocs, publishDocs } from '../browser/published-docs.ts'
import { cases } from '../cases.ts'
import { runSample, sampleIn, sampleLanguages, statusIn } from '../run-sample.ts'

let docs: PublishedDocs
beforeAll(async () => {
  docs = await publishDocs()
})
afterAll(() => docs?.release())

const samples: [string, number[]?][] = [
  ['list-pets', [200, 200, 200]],
  ['create-pet', [201, 201, 201]],
  ['create-category', [201, 201, 201]],
  ['place-order'],
  ['update-pet'],
  ['import-pets'],
  ['delete-pet', [204, 404, 404]],
]

it.each(cases(samples, ([name]) => ['list-pets', 'create-pet', 'delete-pet'].includes(name)))(
  '%s runs in each language',
  async (operation, expected) => {
    const page = await docs.fetch(`/reference/${operation}`)
    expect(page.status).toBe(200)
    const statuses: number[] = []
    for (const language of sampleLanguages) {
      const variables = { API_KEY: docs.store.keys.production, TOKEN: docs.store.keys.production }
      const output = await runSample(language, sampleIn(page.text, language), variables)
      statuses.push(statusIn(output, language))
    }
    if (expected) expect(statuses).toEqual(expected)
    else expect(new Set(statuses).size, String(statuses)).toBe(1)
  },
)
