// The HTML of boxes (boxes.ts). It works without scripts and by keyboard: folds are details, tabs are radio buttons, a card
// is one link.
import type { MarkdownIt as Parser, Token } from 'markdown-it'
import type { Box, MarkdownEnv } from './boxes.ts'
import { escapeHtml, icon } from './html.ts'

interface Parts {
  /** Up to the title, which follows if there is one. */
  start: string
  titleEnd?: string
  end: string
}

interface Rendering {
  open: { box: Box; parts: Parts }[]
  /** The groups of tabs around the token. */
  groups: { name: string; isFirst: boolean }[]
  groupCount: number
}

/** `mark` is the prefix of the renderer's own attributes; `put` inserts HTML that is not sanitised. */
export function renderBoxes(md: Parser, mark: string, put: (html: string) => string): void {
  const renderings = new WeakMap<object, Rendering>()
  const renderingOf = (env: object) =>
    renderings.getOrInsertComputed(env, () => ({ open: [], groups: [], groupCount: 0 }))
  const div = (name: string, more = '') => `<div ${mark}class="${name}"${more}>`
  const plain = (start: string): Parts => ({ start, titleEnd: '</div>\n', end: '</div>\n' })
  const role = (name: string) => ` ${mark}role="${name}"`

  function partsOf(box: Box, groups: Rendering['groups'], title: string): Parts {
    switch (box.kind) {
      case 'callout': {
        const { tone = 'note' } = box
        const [outer, head] = box.fold ? ['details', 'summary'] : ['div', 'div']
        const more = box.fold ? (box.fold === 'open' ? ' open' : '') : role('note')
        const start = `<${outer} ${mark}class="callout callout-${tone}"${more}>`
        const titleStart = `<${head} ${mark}class="callout-title">${put(icon(tone).text)}<span>`
        return {
          start: box.title ? start + titleStart : start,
          titleEnd: `</span></${head}>\n`,
          end: `</${outer}>\n`,
        }
      }
      case 'details': {
        const start = `<details${box.isOpen ? ' open' : ''}><summary>`
        return { start, titleEnd: '</summary>\n', end: '</details>\n' }
      }
      case 'tabs':
      case 'code-group':
        return plain(div('tabs', role('group')))
      case 'tab': {
        const group = groups.at(-1) ?? { name: '', isFirst: true }
        const checked = group.isFirst || box.isOpen ? ' checked' : ''
        group.isFirst = false
        const value = escapeHtml(title)
        return {
          start: `<label ${mark}class="tab">${put(`<input type="radio" name="${group.name}" value="${value}"${checked}>`)}<span>`,
          titleEnd: `</span></label>${div('tab-panel')}`,
          end: '</div>\n',
        }
      }
      case 'field':
        return { start: '<dl><dt>', titleEnd: '</dt><dd>', end: '</dd></dl>\n' }
      case 'steps':
        return plain(div('steps', box.hasItems ? role('list') : ''))
      case 'step':
        return plain(div('step', role('listitem')) + (box.title ? div('box-title') : ''))
      case 'card': {
        const href = escapeHtml(box.href ?? '')
        const [link, linkEnd] = box.href === undefined ? ['', ''] : [`<a href="${href}">`, '</a>']
        const head = div('box-title') + link
        const bare = link && `${head}${href}</a></div>`
        const parts = plain(div('card') + (box.title ? head : bare))
        return { ...parts, titleEnd: `${linkEnd}</div>\n` }
      }
      case 'cards':
      case 'columns':
        return plain(div('box-grid'))
      case 'column':
        return plain('<div>')
      default:
        return { start: '', end: '' }
    }
  }

  Object.assign(md.renderer.rules, {
    box_open(tokens: Token[], index: number, _: unknown, env: MarkdownEnv): string {
      const rendering = renderingOf(env)
      const box = tokens[index]?.meta?.box as Box
      if (box.kind === 'tabs' || box.kind === 'code-group') {
        rendering.groupCount += 1
        const name = `tabs:${env.tabPrefix ?? ''}${rendering.groupCount}`
        rendering.groups.push({ name, isFirst: true })
      }
      const title = tokens[index + 1]
      const parts = partsOf(box, rendering.groups, title?.meta?.isTitle ? labelOf(title) : '')
      rendering.open.push({ parts, box })
      return parts.start
    },
    box_title_close(_tokens: Token[], _index: number, _: unknown, env: MarkdownEnv): string {
      return renderingOf(env).open.at(-1)?.parts.titleEnd ?? ''
    },
    box_close(_tokens: Token[], _index: number, _: unknown, env: MarkdownEnv): string {
      const { open, groups } = renderingOf(env)
      const { parts, box } = open.pop() ?? {}
      if (box?.kind === 'tabs' || box?.kind === 'code-group') groups.pop()
      return parts?.end ?? ''
    },
  })
}

/** The text by which the choice of a tab is kept. */
function labelOf(title: Token): string {
  const words = (title.children ?? []).map(({ type, content }) =>
    type === 'text' || type === 'code_inline' ? content : '',
  )
  return words.join('').trim().slice(0, 100)
}
