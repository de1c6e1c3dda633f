// The notations of other generators for blocks, added to the parser of Markdown.
import type { MarkdownIt as Parser } from 'markdown-it'
import { addContainers } from './containers.ts'

export function addNotations(md: Parser): void {
  addContainers(md)
}
