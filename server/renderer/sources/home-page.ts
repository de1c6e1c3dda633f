// What a start page begins with, as Markdown: the fields `hero` and `features` of VitePress and Starlight, as a sentence, links
// and cards.
import type { FrontMatter } from './front-matter.ts'
import { inside, listOf, textOf } from './plain-values.ts'

const maxEach = 50

type HomeFields = Pick<FrontMatter, 'description' | 'features' | 'hero'>

/** Ends with an empty line; empty without such fields. */
export function homeMarkdown({ description, features = [], hero = {} }: HomeFields): string {
  const { actions, image, tagline, text } = hero
  const source = lineOf(image) || field(image, 'src')
  const links = listOf(actions).slice(0, maxEach).map(linkOf)
  const cards = listOf(features).slice(0, maxEach).flatMap(cardOf)
  const blocks = [
    ...[lineOf(text), lineOf(tagline)].filter((each) => each !== description),
    links.filter((link) => link !== '').join(' · '),
    source && `![${plain(field(image, 'alt'))}](<${source}>)`,
    cards.length > 0 && `<CardGroup>\n${cards.join('\n')}\n</CardGroup>`,
  ]
  return blocks.flatMap((block) => (block ? `${block}\n\n` : [])).join('')
}

function linkOf(action: unknown): string {
  const [text, link] = [plain(field(action, 'text')), field(action, 'link')]
  return text === '' || link === '' || /^(?!https?:)[a-z]+:/i.test(link)
    ? text
    : `**[${text}](<${link}>)**`
}

function cardOf(feature: unknown) {
  const [title, link] = [escaped(field(feature, 'title')), escaped(field(feature, 'link'))]
  const href = link && ` href="${link}"`
  return title === ''
    ? []
    : `<Card title="${title}"${href}>\n\n${field(feature, 'details')}\n\n</Card>`
}

const lineOf = (value: unknown): string =>
  (textOf(value) ?? '').replaceAll(/\s+/g, ' ').replaceAll(/[<>]/g, '')
const field = (value: unknown, name: string): string => lineOf(inside(value, name))
const plain = (text: string): string => text.replaceAll(/[[\]\\]/g, '')
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
