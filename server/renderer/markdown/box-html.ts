// The HTML of boxes (boxes.ts). It works without scripts and by keyboard: folds are details, tabs are radio buttons, a card
// is one link.
import type { MarkdownIt as Parser, Token } from 'markdown-it'
import type { Box, MarkdownEnv } from './boxes.ts'
import { escapeHtml, icon } from './html.ts'

/** What is around the title belongs to it, if there is one. */
type Parts = [start: string, titleStart: string, titleEnd: string, end: string]

/** `mark` is the prefix of the renderer's own attributes; `put` inserts HTML that is not sanitised. */
export function renderBoxes(md: Parser, mark: string, put: (html: string) => string): void {
  const role = (name: string) => ` ${mark}role="${name}"`
  const div = (name: string, more = '') => `<div ${mark}class="${name}"${more}>`
  const inDiv = (start: string, titleStart = '', titleEnd = '</div>\n'): Parts =>
    [...[start, titleStart, titleEnd, '</div>\n']] as Parts
  /** `label`: the text by which the choice of a tab is kept. */
  const kinds: Record<Box['kind'], (box: Box, group: string, label: string) => Parts> = {
    callout({ fold, tone = 'note' }) {
      const [outer, head] = fold ? ['details', 'summary'] : ['div', 'div']
      const more = fold ? (fold === 'open' ? ' open' : '') : role('note')
      const start = `<${outer} ${mark}class="callout callout-${tone}"${more}>`
      const titleStart = `<${head} ${mark}class="callout-title">${put(icon(tone).text)}<span>`
      return [start, titleStart, `</span></${head}>\n`, `</${outer}>\n`]
    },
    details({ isOpen }) {
      const start = `<details${isOpen ? ' open' : ''}>`
      return [start, '<summary>', '</summary>\n', '</details>\n']
    },
    tab({ isOpen }, group, label) {
      const more = `value="${escapeHtml(label)}"${isOpen ? ' checked' : ''}`
      const radio = put(`<input type="radio" name="tabs:${group}" ${more}>`)
      const titleEnd = `</span></label>${div('tab-panel')}`
      return inDiv(`<label ${mark}class="tab">${radio}`, '<span>', titleEnd)
    },
    card({ href }) {
      const [link, linkEnd] =
        href === undefined ? ['', ''] : [`<a href="${escapeHtml(href)}">`, '</a>']
      return inDiv(div('card'), div('box-title') + link, `${linkEnd}</div>\n`)
    },
    tabs: () => inDiv(div('tabs', role('group'))),
    steps: ({ hasItems }) => inDiv(div('steps', hasItems ? role('list') : '')),
    step: () => inDiv(div('step', role('listitem')), div('box-title')),
    grid: () => inDiv(div('box-grid')),
    column: () => inDiv('<div>'),
    field: () => ['<dl>', '<dt>', '</dt><dd>', '</dd></dl>\n'],
  }
  const partsOf = (tokens: Token[], index: number, { tabPrefix = '' }: MarkdownEnv) => {
    const box = tokens[index]?.meta?.box as Box
    const words = (tokens[index + 1]?.children ?? []).map(({ type, content }) =>
      type === 'text' || type === 'code_inline' ? content : '',
    )
    const label = words.join('').trim().slice(0, 100)
    return kinds[box.kind](box, `${tabPrefix}${box.group}`, label)
  }
  Object.assign(md.renderer.rules, {
    box_open(tokens: Token[], index: number, _: unknown, env: MarkdownEnv) {
      const [start, titleStart] = partsOf(tokens, index, env)
      return tokens[index + 1]?.meta?.isTitle ? start + titleStart : start
    },
    box_title_close: (tokens: Token[], index: number, _: unknown, env: MarkdownEnv) =>
      partsOf(tokens, index, env)[2],
    box_close: (tokens: Token[], index: number, _: unknown, env: MarkdownEnv) =>
      partsOf(tokens, index, env)[3],
  })
}
