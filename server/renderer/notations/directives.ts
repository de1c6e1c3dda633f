// Directives of MyST that are not boxes: images, code, formulas, and those of which a page shows nothing.
import type { StateBlock } from 'markdown-it'
import { type MarkdownEnv, tokenizeLines } from '../markdown/boxes.ts'
import { boxNamed } from './box-names.ts'

const kinds = Object.fromEntries(
  Object.entries({
    image: 'image figure',
    code: 'code code-block code-cell sourcecode parsed-literal eval-rst mermaid math',
    children:
      'list-table table epigraph topic sidebar glossary figure-md rubric div only margin line-block',
    include: 'include literalinclude',
    nothing:
      'toctree contents tableofcontents bibliography raw automodule autoclass autofunction autodoc2-object',
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
  const paragraph = (text: string) => {
    state.push('paragraph_open', 'p', 1)
    const inline = state.push('inline', '', 0)
    Object.assign(inline, { content: text, children: [], map: [start, start + 1] })
    state.push('paragraph_close', 'p', -1)
  }
  switch (kinds[name]) {
    case 'image':
      paragraph(`![${(options.alt ?? '').replaceAll(/[[\]]/g, '')}](<${argument}>)`)
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
    case 'nothing':
      note?.(
        kinds[name] === 'include' ? 'include' : 'removed',
        `{${name}} ${argument}`.trim(),
        start,
      )
      return
    default:
      if (argument) paragraph(`**${argument.replaceAll('*', '')}**`)
      content()
  }
}
