// The container file: what it promises. `sh test/fresh-machine container` runs its steps.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readConfig } from '#kit/config/config.ts'

const root = join(import.meta.dirname, '../..')
const text = readFileSync(join(root, 'ops/Containerfile'), 'utf8')

const argumentOf = (instruction: string): string | undefined =>
  new RegExp(`^${instruction} (.*)$`, 'm').exec(text)?.[1]

it('is Debian, runs as a user that is not root, and has the ports and the folder of the program', () => {
  expect(argumentOf('FROM')).toMatch(/^debian:/)
  // Kubernetes' runAsNonRoot needs a number.
  expect(argumentOf('USER')).toMatch(/^[1-9]\d*:[1-9]\d*$/)
  const { httpPort, httpsPort } = readConfig({})
  expect(argumentOf('EXPOSE')).toBe(`${httpPort} ${httpsPort}`)
  const listens = `DATA_DIR=${argumentOf('VOLUME')} LISTEN_ADDRESS=:: `
  expect(argumentOf('ENV')?.startsWith(listens)).toBe(true)
})
