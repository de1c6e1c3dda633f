// Reads the colours of a page from its style sheets: background and text of the page, and its accent. It is a guess
// for a small picture: only rules for the whole page count, the first of each kind, in linear time.

export interface PageColours {
  /** `#rrggbb`. */
  background: string | null
  text: string | null
  accent: string | null
}

const maxStyleLength = 128 * 1024
const maxSelectorLength = 200
const maxBodyLength = 8000
const declaration = /([\w-]{1,60})\s*:\s*([^;]{1,120})/g
const accentNames = /^--[\w-]*(?:accent|primary|brand|link|theme)[\w-]*$/

const namedColours: Record<string, string> = {
  ...{ white: '#ffffff', black: '#000000', red: '#ff0000', navy: '#000080', teal: '#008080' },
  ...{ gray: '#808080', grey: '#808080', blue: '#0000ff', green: '#008000', purple: '#800080' },
}

export function readColours(styles: readonly string[]): PageColours {
  const variables = new Map<string, string>()
  const found: Partial<Record<'background' | 'text' | 'accent', string>> = {}
  for (const style of styles) {
    for (const { body, selector } of rulesOf(style.slice(0, maxStyleLength))) {
      const isPage = /(?:^|[\s,;/])(?::root|html|body)\s*(?:,|$)/.test(selector)
      const isLink = /(?:^|[\s,;/])a(?::link)?\s*(?:,|$)/.test(selector)
      if (!isPage && !isLink) continue
      for (const [, name = '', value = ''] of body.matchAll(declaration)) {
        if (name.startsWith('--')) {
          if (!variables.has(name)) variables.set(name, value.trim())
        } else if (isLink && name === 'color') found.accent ??= value
        else if (isPage && /^background(?:-color)?$/.test(name)) found.background ??= value
        else if (isPage && name === 'color') found.text ??= value
      }
    }
  }
  const [, accent] =
    [...variables].find(([name, value]) => accentNames.test(name) && read(value)) ?? []
  function read(value: string | undefined, depth = 0): string | null {
    const text = value?.replace('!important', '').trim().toLowerCase() ?? ''
    const [, variable, fallback] = /^var\((--[\w-]+)(?:\s*,\s*([^()]+))?\)/.exec(text) ?? []
    if (variable === undefined) return asHex(text)
    if (depth === 4) return null
    return read(variables.get(variable) ?? fallback, depth + 1)
  }
  return {
    background: read(found.background),
    text: read(found.text),
    accent: read(found.accent) ?? read(accent),
  }
}

/** The innermost rules, with the ends of long selectors. */
function* rulesOf(style: string): Generator<{ selector: string; body: string }> {
  let after = 0
  for (let close = style.indexOf('}'); close >= 0; close = style.indexOf('}', after)) {
    const open = style.slice(after, close).lastIndexOf('{') + after
    if (open >= after) {
      const before = style.slice(Math.max(after, open - maxSelectorLength), open)
      const selector = before.slice(before.lastIndexOf('{') + 1)
      yield { selector, body: style.slice(open + 1, close).slice(0, maxBodyLength) }
    }
    after = close + 1
  }
}

function asHex(text: string): string | null {
  const [, digits] = /^#([\da-f]{3,8})\b/.exec(text) ?? []
  if (digits?.length === 3 || digits?.length === 4) {
    return `#${[...digits.slice(0, 3)].map((digit) => digit + digit).join('')}`
  }
  if (digits !== undefined && digits.length >= 6) return `#${digits.slice(0, 6)}`
  const [, ...channels] = /^rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})/.exec(text) ?? []
  if (channels.length === 3 && channels.every((channel) => Number(channel) < 256)) {
    return `#${channels.map((channel) => Number(channel).toString(16).padStart(2, '0')).join('')}`
  }
  return namedColours[/^[a-z]+/.exec(text)?.[0] ?? ''] ?? null
}
