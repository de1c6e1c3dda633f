// Every hostile archive of the table is refused with its own message.

import { describe, expect, it } from 'vitest'
import { DeployFailure } from '#renderer/site-files/site-file.ts'
import { cases } from '../../../test/cases.ts'
import { hostileArchives } from '../../../test/publishing/hostile-archives.ts'
import { readWhole, testLimits } from '../../../test/publishing/read-whole-archive.ts'

const table = hostileArchives(testLimits)

describe('hostile archives', () => {
  it('are many, with unique names', () => {
    expect(table.length).toBeGreaterThan(150)
    expect(new Set(table.map(({ name }) => name)).size).toBe(table.length)
  })

  it.each(cases(table, (_, i) => i % 3 === 0))('$name', async ({ form, bytes, refusal }) => {
    const failure = await readWhole(bytes(), form).then(
      ({ files }) => expect.unreachable(`was read: ${files.map(({ path }) => path)}`),
      (error: unknown) => error,
    )
    expect(failure).toBeInstanceOf(DeployFailure)
    expect(String(failure)).toMatch(refusal)
  })
})
