import { expect, it } from 'vitest'
import { findPasswordProblem } from '#accounts/password-rules.ts'
import { maxFiles, maxMessageLength } from '#publishing/deploys/records/schema.ts'
import { maxFileBytes } from '#publishing/projects/plan-limits.ts'
import { maxBytes, maxRecords } from '#store/operators/transfer-routes.ts'
import * as limits from './limits.ts'

it('match the limits of the server', () => {
  expect(limits).toMatchObject({
    maxDeployFileBytes: maxFileBytes,
    maxDeployFiles: maxFiles,
    maxDeployMessageLength: maxMessageLength,
    maxImportBytes: maxBytes,
    maxImportRecords: maxRecords,
  })
})

it.each([
  [limits.minPasswordLength - 1, false],
  [limits.minPasswordLength, true],
  [limits.maxPasswordLength, true],
  [limits.maxPasswordLength + 1, false],
])('a password of %i characters is accepted: %s', (length, isAccepted) => {
  const password = 'zyxwvutsrqpo'.repeat(22).slice(0, length)
  expect(findPasswordProblem(password, 'rosa@example.com') === undefined).toBe(isAccepted)
})
