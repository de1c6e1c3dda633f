// What a piece of code is, told by class names: the colours are in theme/code.css, light and dark, so
// that no page needs a style attribute. Each class stands in Shiki's theme as a colour of its own.
import type { ThemeRegistrationRaw } from 'shiki/core'

/** Later ones win where scopes are equally exact. */
const scopes: [className: string, scopes: string[]][] = [
  ['c-comment', ['comment', 'punctuation.definition.comment', 'string.comment']],
  ['c-keyword', ['keyword', 'storage', 'variable.language', 'punctuation.definition.keyword']],
  ['c-plain', ['keyword.operator', 'storage.modifier.import', 'storage.type.java']],
  [
    'c-keyword',
    ['keyword.operator.new', 'keyword.operator.expression', 'keyword.operator.logical.python'],
  ],
  [
    'c-string',
    ['string', 'punctuation.definition.string', 'markup.inline.raw', 'markup.fenced_code.block'],
  ],
  [
    'c-constant',
    ['constant', 'support.constant', 'variable.other.constant', 'constant.character.escape'],
  ],
  ['c-plain', ['string variable', 'meta.embedded', 'source.regexp', 'string.unquoted.argument']],
  ['c-function', ['entity.name.function', 'support.function', 'meta.function-call.generic']],
  ['c-type', ['entity.name', 'entity.other.inherited-class', 'support.type', 'support.class']],
  ['c-function', ['entity.name.function', 'entity.name.command']],
  ['c-tag', ['entity.name.tag', 'support.type.property-name', 'entity.name.tag.yaml']],
  ['c-attribute', ['entity.other.attribute-name', 'variable.other.assignment.shell']],
  ['c-variable', ['string variable', 'variable.other.normal.shell', 'variable.parameter.env']],
  ['c-heading', ['markup.heading', 'entity.name.section']],
  ['c-link', ['markup.underline.link', 'string.other.link', 'constant.other.reference.link']],
  ['c-inserted', ['markup.inserted', 'punctuation.definition.inserted']],
  ['c-deleted', ['markup.deleted', 'punctuation.definition.deleted', 'invalid']],
]

const names = [...new Set(scopes.map(([name]) => name))]

const colorOf = (name: string) => `#0000${(names.indexOf(name) + 16).toString(16).padStart(2, '0')}`

export const codeTheme: ThemeRegistrationRaw = {
  name: 'classes',
  type: 'light',
  settings: [
    { settings: { foreground: colorOf('c-plain'), background: '#ffffff' } },
    ...scopes.map(([name, scope]) => ({ scope, settings: { foreground: colorOf(name) } })),
  ],
}

const classByColor = new Map(names.map((name) => [colorOf(name).toLowerCase(), name]))

/** The class of what Shiki gave this colour; undefined for plain code. */
export function codeClass(color: string | undefined): string | undefined {
  const name = classByColor.get(color?.toLowerCase() ?? '')
  return name === 'c-plain' ? undefined : name
}
