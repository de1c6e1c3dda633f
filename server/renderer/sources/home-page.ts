// What a start page begins with, as Markdown: the fields `hero` and `features` of VitePress and Starlight, as a sentence, links
// and cards.
import type { FrontMatter } from './front-matter.ts'

const maxEach = 50

/** Ends with an empty line; empty without such fields. */
export function homeMarkdown({ description, features = [], hero = {} }: FrontMatter): string {
  const { actions, image, tagline, text } = hero
  const source = textOf(image) || textOf(inside(image, 'src'))
  const links = listOf(actions).map(linkOf)
  const cards = listOf(features).flatMap((feature) => {
    const title = escaped(textOf(inside(feature, 'title')))
    if (title === '') return []
    const link = escaped(textOf(inside(feature, 'link')))
    const href = link === '' ? '' : ` href="${link}"`
    const details = textOf(inside(feature, 'details'))
    return `<Card title="${title}"${href}>\n\n${details}\n\n</Card>`
  })
  const sentences = [textOf(text), textOf(tagline)].filter((each) => each !== description)
  const blocks = [
    ...sentences,
    links.filter((link) => link !== '').join(' · '),
    source === '' ? '' : `![${plain(textOf(inside(image, 'alt')))}](<${source}>)`,
    cards.length === 0 ? '' : `<CardGroup>\n${cards.join('\n')}\n</CardGroup>`,
  ]
  return blocks.flatMap((block) => (block === '' ? [] : `${block}\n\n`)).join('')
}

function linkOf(action: unknown): string {
  const [text, link] = [plain(textOf(inside(action, 'text'))), textOf(inside(action, 'link'))]
  return text === '' || link === '' || /^(?!https?:)[a-z]+:/i.test(link)
    ? text
    : `**[${text}](<${link}>)**`
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value.slice(0, maxEach) : [])
const inside = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
const textOf = (value: unknown): string =>
  typeof value === 'string' ? value.replaceAll(/\s+/g, ' ').replaceAll(/[<>]/g, '').trim() : ''
const plain = (text: string): string => text.replaceAll(/[[\]\\]/g, '')
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
