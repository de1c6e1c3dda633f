// Directives of MyST that are not boxes: images, code, formulas, and those of which a page shows nothing.
import type { StateBlock } from 'markdown-it'
import { type MarkdownEnv, tokenizeLines } from '../markdown/boxes.ts'
import { boxNamed } from './box-names.ts'
import { pushParagraph } from './source-lines.ts'

const kinds = Object.fromEntries(
  Object.entries({
    image: 'image figure',
    code: 'code code-block code-cell sourcecode parsed-literal eval-rst mermaid math',
    children:
      'list-table table epigraph topic sidebar glossary figure-md rubric div only margin line-block',
    /** Files that are there were included before (includes.ts). */
    include: 'include literalinclude',
    navigation: 'toctree contents tableofcontents',
    nothing: 'bibliography raw automodule autoclass autofunction autodoc2-object',
    box: 'admonition versionadded versionchanged deprecated',
  }).flatMap(([kind, names]) => names.split(' ').map((name) => [name, kind])),
)

/** Whether ` ```{name} ` is a directive rather than a language of code. */
export const isDirective = (name: string): boolean =>
  Object.hasOwn(kinds, name) || boxNamed(name) !== undefined

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
  switch (kinds[name]) {
    case 'image':
      pushParagraph(
        state,
        `![${(options.alt ?? '').replaceAll(/[[\]]/g, '')}](<${argument}>)`,
        start,
      )
      content()
      return
    case 'code': {
      const fence = state.push('fence', 'code', 0)
      const language = name === 'math' || name === 'mermaid' ? name : argument
      const title = options.caption?.replaceAll('"', '')
      fence.info = (name === 'eval-rst' ? 'rst' : language) + (title ? ` title="${title}"` : '')
      fence.content = state.getLines(from, to, state.sCount[start] ?? 0, true)
      fence.map = [start, to]
      fence.markup = '```'
      if (name === 'eval-rst') note?.('component', '{eval-rst}', start)
      return
    }
    case 'include':
      return
    case 'navigation':
    case 'nothing':
      note?.(kinds[name] === 'nothing' ? 'removed' : 'setting', `{${name}}`, start)
      return
    default:
      if (argument) pushParagraph(state, `**${argument.replaceAll('*', '')}**`, start)
      content()
  }
}
