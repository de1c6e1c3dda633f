// The notations of other generators for blocks, added to the parser of Markdown.
import type { MarkdownIt as Parser } from 'markdown-it'
import { interrupting } from '../markdown/syntax/source-lines.ts'
import { cardTableRule } from './card-tables.ts'
import { containerRule } from './containers.ts'
import { indentedRule } from './indented-blocks.ts'
import { markRule } from './kramdown.ts'

export function addNotations({ block: { ruler } }: Parser): void {
  ruler.before('code', 'containers', containerRule, interrupting)
  ruler.before('code', 'indented_blocks', indentedRule, interrupting)
  ruler.before('code', 'marks', markRule)
  ruler.before('html_block', 'card_tables', cardTableRule)
}
