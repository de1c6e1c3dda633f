import { expect, test } from 'vitest'
import { createVisitCounter } from './visit-counter.ts'

test('projects whose visitors use up all names leave others some of their own', () => {
  const counter = createVisitCounter(() => 0)
  for (let project = 0; project < 300; project++)
    for (let n = 0; n < 200; n++) counter.count(`busy-${project}`, 'search', `word ${n}`)
  for (let n = 0; n < 30; n++) counter.count('quiet', 'search', `word ${n}`)
  const quiet = counter.take().filter(({ project }) => project === 'quiet')
  expect(quiet.filter(({ name }) => name !== '')).toHaveLength(20)
  expect(quiet.find(({ name }) => name === '')?.count).toBe(10)
})
