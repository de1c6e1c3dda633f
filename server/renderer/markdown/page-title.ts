// The title of a page in its Markdown: the first heading if it is of level 1, written as Markdown or as HTML as in most README
// files; and in a page without another title, a heading of any level that it begins with, if no other is as high.
import type { Token } from 'markdown-it'
import { unescapeHtml } from './html.ts'

export interface PageTitle {
  /** Of the token with it: a heading, or an HTML block. */
  index: number
  /** The text of an HTML heading, and its own ID. */
  html?: { text: string; id: string | undefined }
}

const htmlTitle = /<h1\b([^>]{0,500})>([\s\S]{1,2000}?)<\/h1>/i

/** `isOnly`: nothing else names the page. */
export function findTitle(tokens: readonly Token[], isOnly: boolean): PageTitle | undefined {
  const index = tokens.findIndex((token) => token.type === 'heading_open' && token.level === 0)
  const top = index < 0 ? tokens : tokens.slice(0, index)
  for (const [place, { content, level, type }] of top.entries()) {
    const match = type === 'html_block' && level === 0 ? htmlTitle.exec(content) : null
    const text = textOfHtml(match?.[2] ?? '')
    // Above a heading that is the title, it is the name of the site.
    const isBrand = place === index - 1 && isOnly && isHighest(tokens, index)
    const id = /\bid="([^"\s]{1,100})"/i.exec(match?.[1] ?? '')?.[1]
    if (text !== '' && !isBrand) return { index: place, html: { text, id } }
  }
  const level = tokens[index]?.tag
  if (level === undefined || level === 'h1') return level && { index }
  const isFirst = top.every(
    ({ content, type }) =>
      type === 'html_block' && textOfHtml(content.replace(htmlTitle, '')) === '',
  )
  return isOnly && isFirst && isHighest(tokens, index) ? { index } : undefined
}

function isHighest(tokens: readonly Token[], index: number): boolean {
  const { tag = '' } = tokens[index] ?? {}
  return tokens.filter((token) => token.type === 'heading_open' && token.tag <= tag).length === 1
}

/** Removes the title from the tokens. The pictures of an HTML heading stay. */
export function removeTitle(tokens: Token[], { html, index }: PageTitle): void {
  const token = tokens[index]
  const brand = tokens[index - 1]
  if (!html && brand?.type === 'html_block') brand.content = brand.content.replace(htmlTitle, '')
  if (!html || !token) tokens.splice(index, 3)
  else
    token.content = token.content.replace(htmlTitle, (_, __, inner: string) => {
      const pictures = inner.match(/<(?:img|picture|source|\/picture)\b[^>]*>/gi)?.join('') ?? ''
      return pictures === '' ? '' : `<p align="center">${pictures}</p>`
    })
}

function textOfHtml(html: string): string {
  const text = unescapeHtml(html.replaceAll(/<!--[\s\S]*?-->|<[^<>]*>|&nbsp;/g, ' '))
  return text.replaceAll(/\s+/g, ' ').trim()
}
