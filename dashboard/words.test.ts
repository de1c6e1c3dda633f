// Reads every sentence that a person sees: in the dashboard, and in the messages of the server that it shows. A rename
// must not hit a word in a sentence, and a sentence has a subject.
import { globSync, readFileSync } from 'node:fs'
import { parseSync } from 'vite'
import { expect, it } from 'vitest'
import { sentenceOf } from './platform/formats.ts'

interface Text {
  file: string
  text: string
}

/** The texts of a source: literals, templates (what is filled in is `…`) and JSX. */
function textsOf(file: string): Text[] {
  const found: string[] = []
  const visit = (node: unknown): void => {
    if (!isNode(node)) return
    const { type, value, quasis } = node
    if (typeof value === 'string' && (type === 'Literal' || type === 'JSXText')) found.push(value)
    if (type === 'TemplateLiteral') {
      const parts = quasis as { value: { cooked: string } }[]
      found.push(parts.map((part) => part.value.cooked).join('…'))
    }
    for (const each of Object.values(node)) visit(each)
  }
  visit(parseSync(file, readFileSync(file, 'utf8')).program)
  return found.map((text) => ({ file, text: text.replaceAll(/\s+/g, ' ').trim() }))
}

const isNode = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/** Several words, and no code: a class list, a selector, a media type. */
const isProse = (text: string): boolean => /\p{L}+,? \p{L}+/u.test(text) && !/[{}<>=\\]/.test(text)

const proseIn = (pattern: string): Text[] =>
  globSync(pattern)
    .filter((file) => !/\.test\.|\/dist\/|schema\.ts$/.test(file))
    .flatMap(textsOf)
    .filter(({ text }) => isProse(text))

const onScreen = proseIn('dashboard/**/*.{ts,tsx}')
const messages = [
  ...proseIn('server/{doctor,domains,publishing}/**/*.ts'),
  ...proseIn('server/accounts/**/*.ts'),
  ...proseIn('server/store/**/*.ts'),
]

/** A column of the files that are imported, and an operation of the specification. */
const known = new Set(['categoryId', 'getPet'])
const camelCase = (text: string): string[] =>
  (text.match(/(?<![\w…./#@'-])[a-z]+[A-Z]\w*/g) ?? []).filter((word) => !known.has(word))

/** A verb where the subject of the sentence should be. Questions and titles may begin so. */
const withoutSubject =
  /(^|[.!:] )(Is|Are|Was|Were|Has|Had|Must|Can|Cannot|May not|Should|Will|Does|Of) [a-z][^?]*$/

const show = ({ file, text }: Text): string => `${file}: ${text}`

it('has no name of the code in a sentence', () => {
  expect(onScreen.length).toBeGreaterThan(1000)
  expect(onScreen.filter(({ text }) => camelCase(text).length > 0).map(show)).toEqual([])
})

it('has a subject in every sentence', () => {
  expect(messages.length).toBeGreaterThan(500)
  const found = [...onScreen, ...messages].filter(({ text }) => withoutSubject.test(text))
  expect(found.map(show)).toEqual([])
})

it.each([
  [
    'password',
    'password is too common. Choose another',
    'This password is too common. Choose another.',
  ],
  [
    'name',
    'name must have 1 to 255 characters; it has 280.',
    'The name must have 1 to 255 characters; it has 280.',
  ],
  ['name', 'name must have 1 to 255 characters; it has 0.', 'The name is empty.'],
  [
    'categoryId',
    'categoryId must be an integer from -9223372036854775808 to 9223372036854775807, not 1.5.',
    'The category ID must be a whole number, not 1.5.',
  ],
  [
    'url',
    'url cannot be sent events: it is private (see WEBHOOK_ALLOW).',
    'This URL cannot be sent events: it is private.',
  ],
  ['redirects[0].to', 'redirects[0].to must be a path', 'It must be a path.'],
  ['host', 'docs.example.com is taken', 'docs.example.com is taken.'],
])('makes a sentence of the message for %s', (path, message, sentence) => {
  const shown = sentenceOf(path, message)
  expect(shown).toBe(sentence)
  expect(shown).not.toMatch(withoutSubject)
})
