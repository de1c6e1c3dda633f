// Headings of a page: its title, its outline, and the same IDs as on GitHub, so that links work in both.
import type { Token } from 'markdown-it'
import type { Heading, SearchPart } from '../sources/render-input.ts'

/** The position of the page's title: its first heading, if that is of level 1. */
export function findTitle(tokens: Token[]): number | undefined {
  const index = tokens.findIndex((token) => token.type === 'heading_open' && token.level === 0)
  return tokens[index]?.tag === 'h1' ? index : undefined
}

/** The text of inline content. */
export function plainText(inline: Token | undefined): string {
  const words = (inline?.children ?? []).map((token) => {
    if (token.type === 'text' || token.type === 'code_inline') return token.content
    if (token.type === 'image') return plainText(token)
    return token.type === 'softbreak' || token.type === 'hardbreak' ? ' ' : ''
  })
  return words.join('').replaceAll(/\s+/g, ' ').trim()
}

const customId = /\{#([\p{L}\p{N}_.-]{1,100})\}$/u

/** Sets the IDs of the headings (as `meta.id`). `firstParagraph` is plain text, empty if there is none. */
export function outline(tokens: Token[]) {
  const slug = createSlugger()
  const result = { headings: [] as Heading[], parts: [] as SearchPart[], firstParagraph: '' }
  let part: SearchPart = { id: '', heading: '', text: '' }
  const texts: string[] = []
  const endPart = () => {
    part.text = texts.splice(0).join(' ')
    if (part.text !== '' || part.heading !== '') result.parts.push(part)
  }
  for (const [index, token] of tokens.entries()) {
    const before = tokens[index - 1]
    if (token.type === 'fence' || token.type === 'code_block') texts.push(token.content.trim())
    if (token.type !== 'inline') continue
    if (before?.type !== 'heading_open') {
      const text = plainText(token)
      if (text !== '') texts.push(text)
      const isParagraph = before?.type === 'paragraph_open' && before.level === 0
      if (isParagraph && result.firstParagraph === '') result.firstParagraph = prose(token)
      continue
    }
    const given = takeCustomId(token)
    const text = plainText(token)
    const id = given ?? slug(text)
    before.meta = { id, text }
    const level = Math.max(2, Number(before.tag.slice(1)))
    if (level > 3) {
      texts.push(text)
      continue
    }
    result.headings.push({ level, id, text })
    endPart()
    part = { id, heading: text, text: '' }
  }
  endPart()
  return result
}

/** The text of a paragraph that has text of its own, not only images and links. */
function prose(inline: Token): string {
  const hasWords = inline.children?.some(
    (token) => token.type === 'text' && token.level === 0 && /\p{L}/u.test(token.content),
  )
  return hasWords ? plainText(inline) : ''
}

/** `## Title {#id}`, as in other generators: returns the ID and removes it from the text. */
export function takeCustomId(inline: Token | undefined): string | undefined {
  const last = inline?.children?.at(-1)
  const found = last?.type === 'text' ? customId.exec(last.content.trimEnd()) : null
  if (!last || !found) return undefined
  last.content = last.content.slice(0, found.index).trimEnd()
  return found[1]
}

/** Creates the IDs of the headings of one page; equal IDs are numbered. */
function createSlugger(): (text: string) => string {
  const seen = new Map<string, number>()
  return (text) => {
    const slug = slugOf(text)
    let count = seen.get(slug) ?? 0
    let unique = slug
    while (seen.has(unique)) {
      count += 1
      unique = `${slug}-${count}`
    }
    seen.set(slug, count)
    seen.set(unique, 0)
    return unique
  }
}

function slugOf(text: string): string {
  const slug = text
    .toLowerCase()
    .trim()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-')
  return slug === '' ? 'section' : slug
}
