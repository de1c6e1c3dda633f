import { expect, it } from 'vitest'
import {
  createSecretText,
  hasHash,
  hashSecret,
  parseSecretText,
  randomToken,
} from './identifiers.ts'

it('creates a text that can be parsed, and stores only its hash', () => {
  const { hash, id, text } = createSecretText('as_pat_')
  expect(text).toMatch(/^as_pat_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$/)
  expect(parseSecretText(text)).toEqual({ mark: 'as_pat_', id })
  expect(hash).toBe(hashSecret(text))
  expect(hash).toMatch(/^[0-9a-f]{64}$/)
})

it('refuses a text with one character changed, removed or added', () => {
  const { text } = createSecretText('as_pat_')
  for (let at = 0; at < text.length; at++) {
    const other = text[at] === 'x' ? 'y' : 'x'
    expect(parseSecretText(text.slice(0, at) + other + text.slice(at + 1))).toBeUndefined()
    expect(parseSecretText(text.slice(0, at) + text.slice(at + 1))).toBeUndefined()
  }
  for (const wrong of [`${text}\n`, ` ${text}`, `${text}0`, '', 'as_pat_', text.toLowerCase()])
    expect(parseSecretText(wrong)).toBeUndefined()
})

it('creates different tokens of 256 bits', () => {
  const tokens = new Set(Array.from({ length: 1000 }, randomToken))
  expect(tokens.size).toBe(1000)
  for (const token of tokens) expect(token).toMatch(/^[0-9A-Za-z]{43}$/)
})

it('compares a secret with hashes of any length', () => {
  const hash = hashSecret('ab')
  expect(hasHash('ab', hash)).toBe(true)
  expect(hasHash('ac', hash)).toBe(false)
  expect(hasHash('ab', `${hash}0`)).toBe(false)
})
