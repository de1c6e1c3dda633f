// Texts of the document as plain words: for titles, lists and the search.

/** At most `length` characters, with an ellipsis where it was cut. */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text
  return `${text.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/** One line, at most 200 characters. */
export function oneLine(text: string, length = 200): string {
  return cut(
    text
      .slice(0, length * 4)
      .replaceAll(/\s+/g, ' ')
      .trim(),
    length,
  )
}

/** The words of Markdown, without most of its signs. Cut at 5,000 characters. */
export function plainText(markdown: string | undefined): string {
  if (markdown === undefined) return ''
  return markdown
    .slice(0, 5_000)
    .replaceAll(/<\/?[a-z][^<>]{0,200}>/gi, ' ')
    .replaceAll(/!?\[([^[\]]{0,200})\]\([^()\s]{0,500}\)/g, '$1')
    .replaceAll(/^ {0,3}(?:#{1,6}|[-*+>]|\d{1,9}[.)]) +/gm, '')
    .replaceAll(/[`*]|~~~/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/** The first paragraph of Markdown and what follows it. */
export function splitParagraph(markdown: string): [first: string, rest: string] {
  const text = markdown.trim()
  const end = text.search(/\n[ \t]*\n/)
  return end === -1 ? [text, ''] : [text.slice(0, end), text.slice(end).trim()]
}

/** `listPets` becomes `list-pets`; empty where nothing is left. At most 80 characters. */
export function kebabCase(text: string): string {
  return text
    .slice(0, 400)
    .normalize('NFC')
    .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1-$2')
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1-$2')
    .toLowerCase()
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .slice(0, 80)
    .replaceAll(/^-+|-+$|[\uD800-\uDBFF]$/g, '')
}
