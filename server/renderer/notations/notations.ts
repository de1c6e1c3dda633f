// The notations of other generators for blocks, added to the parser of Markdown.
import type { MarkdownIt as Parser } from 'markdown-it'
import { addCardTables } from './card-tables.ts'
import { addContainers } from './containers.ts'
import { addIndentedBlocks } from './indented-blocks.ts'
import { addKramdownLines } from './kramdown.ts'

export function addNotations(md: Parser): void {
  addContainers(md)
  addIndentedBlocks(md)
  addKramdownLines(md)
  addCardTables(md)
}
