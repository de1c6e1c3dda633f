// Links of MyST: roles, as in `` {ref}`text <label>` ``, and labels, `(label)=` above a block, to which `[text](#label)` leads from
// all pages. A link without a text has that of its target. They become Markdown's own links before those are read.
import type { MarkdownIt as Parser } from 'markdown-it'
import { type Labels, type LinkTargets, resolveLink } from '../markdown/links.ts'
import { hrefOf } from '../sources/addresses.ts'
import { docutilsSlug } from '../sources/generator.ts'
import type { SourcePage } from '../sources/read-pages.ts'

/** The heading below it is what a label is called. In a directive, its name is one. */
const labels =
  /^[ \t]*(?:\(([^()\n]{1,100})\)=|:name:[ \t]*(\S{1,100}))[ \t]*\n\s*(?:#{1,6}[ \t]+(.{1,300}))?/gm

export function readLabels(pages: readonly SourcePage[], found: Labels): void {
  for (const { body, path, title } of pages) {
    const page = hrefOf(path)
    found.set(page, { href: page, title })
    for (const [, label = '', name = label, title = name] of body.matchAll(labels))
      found.set(name, { href: `${page}#${docutilsSlug(name)}`, title })
  }
}

/** Code, which has no roles; roles; links without a text; and texts with attributes. */
const links =
  /(?<!`)(?<span>`+)(?!`)[\s\S]{1,1000}?(?<!`)\k<span>(?!`)|\{(?<role>[a-z]{1,20})\}`(?:(?<text>[^`<>]{1,300}?)\s{0,9}<)?(?<target>[^`<>]{1,300})>?`|\[\]\((?<href>[^()\s<>]{1,300})\)|<project:(?<own>[^<>\s]{1,300})>|\[(?<inner>[^[\]\n]{1,300})\]\{(?=[#.])(?:#(?<id>[\w.-]{1,100}))?[^{}\n]{0,200}\}/g
const starts: Record<string, string> = { ref: '#', numref: '#', any: '#', doc: '', download: '' }

export function addLinks(md: Parser, targets: LinkTargets): void {
  md.core.ruler.before('inline', 'myst_links', ({ env, tokens }) => {
    for (const token of tokens) {
      if (token.type !== 'inline' || !/[\]`:]/.test(token.content)) continue
      token.content = token.content.replaceAll(links, (whole, ...all) => {
        const { id = '', inner, own, href = own, role = '', target = own ?? '', text } = all.at(-1)
        if (inner) return `<span id="${id}">${inner}</span>`
        if (/^(?:su[bp]|kbd)$/.test(role)) return `<${role}>${target}</${role}>`
        if (role === 'math') return `$\`${target}\`$`
        const to = href ?? (Object.hasOwn(starts, role) ? starts[role] + target : undefined)
        if (to === undefined) return whole
        const name = to.startsWith('#') ? to.slice(1) : resolveLink(to, String(env.source), targets)
        const place = targets.labels?.get(name)
        // Roles lead to labels only.
        return `[${text ?? place?.title ?? target}](<${(role && place?.href) || to}>)`
      })
    }
  })
}
