// Directives of MyST that are not boxes: images, code, formulas, and those of which a page shows nothing.
import type { StateBlock } from 'markdown-it'
import { type MarkdownEnv, tableOf, tokenizeLines } from '../markdown/boxes.ts'
import { boxNamed } from './box-names.ts'
import { pushFence, pushParagraph } from './source-lines.ts'

const kinds = tableOf([
  ['image figure', 'image'],
  ['code code-block code-cell sourcecode parsed-literal eval-rst mermaid math', 'code'],
  [
    'list-table table epigraph topic sidebar glossary figure-md rubric div only margin line-block',
    'children',
  ],
  // Files that are there were included before (includes.ts).
  ['include literalinclude', 'include'],
  ['toctree contents tableofcontents', 'navigation'],
  ['bibliography raw automodule autoclass autofunction autodoc2-object', 'nothing'],
  ['admonition versionadded versionchanged deprecated', 'box'],
])

/** Whether ` ```{name} ` is a directive rather than a language of code. */
export const isDirective = (name: string): boolean =>
  kinds.has(name) || boxNamed(name) !== undefined

interface Directive {
  name: string
  argument: string
  options: Record<string, string>
  /** Its first line, and those of its content. */
  start: number
  from: number
  to: number
}

export function pushDirective(state: StateBlock, directive: Directive): void {
  const { name, argument, options, start, from, to } = directive
  const { note } = state.env as MarkdownEnv
  const content = () => tokenizeLines(state, { from, to })
  switch (kinds.get(name)) {
    case 'image':
      pushParagraph(
        state,
        `![${(options.alt ?? '').replaceAll(/[[\]]/g, '')}](<${argument}>)`,
        start,
      )
      content()
      return
    case 'code': {
      const language = name === 'math' || name === 'mermaid' ? name : argument
      const title = options.caption?.replaceAll('"', '')
      const info = (name === 'eval-rst' ? 'rst' : language) + (title ? ` title="${title}"` : '')
      pushFence(state, info, state.getLines(from, to, state.sCount[start] ?? 0, true), [start, to])
      if (name === 'eval-rst') note?.('component', '{eval-rst}', start)
      return
    }
    case 'include':
      return
    case 'navigation':
    case 'nothing':
      note?.(kinds.get(name) === 'nothing' ? 'removed' : 'setting', `{${name}}`, start)
      return
    default:
      if (argument) pushParagraph(state, `**${argument.replaceAll('*', '')}**`, start)
      content()
  }
}
