// HTML that is safe by construction: values in an `html` template are escaped unless they are HTML. Text becomes HTML as it
// is only by `new Html`: fixed tags, sanitised Markdown, highlighted code.

/** HTML that can be inserted into a page without escaping. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export type Value = string | number | Html | undefined | false | readonly Value[]

/** Escapes strings, joins lists and omits undefined and false; the text of the template is kept. */
export function html(strings: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(String.raw({ raw: strings }, ...values.map(written)))
}

function written(value: Value): string {
  if (value instanceof Html) return value.text
  if (typeof value === 'object') return value.map(written).join('')
  return value === undefined || value === false ? '' : escapeHtml(`${value}`)
}

const names: Record<string, string> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": '#39' }

/** For text and for attribute values in either kind of quotes. */
export function escapeHtml(text: string): string {
  if (!/[&<>"']/.test(text)) return text
  return text.replaceAll(/[&<>"']/g, (character) => `&${names[character]};`)
}

const characters = new Map(Object.entries(names).map(([character, name]) => [name, character]))

/** The reverse of escapeHtml. */
export function unescapeHtml(text: string): string {
  return text.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name) => characters.get(name) ?? '')
}

const paths = {
  menu: '<path d="M4 7h16M4 12h16M4 17h16"/>',
  close: '<path d="m6 6 12 12M18 6 6 18"/>',
  search: '<circle cx="11" cy="11" r="6.5"/><path d="m16 16 4.5 4.5"/>',
  sun: '<circle cx="12" cy="12" r="4"/><path d="M12 3v1.5M12 19.5V21M3 12h1.5M19.5 12H21M5.6 5.6l1.1 1.1M17.3 17.3l1.1 1.1M18.4 5.6l-1.1 1.1M6.7 17.3l-1.1 1.1"/>',
  moon: '<path d="M20 14.5A8.5 8.5 0 1 1 9.5 4 6.8 6.8 0 0 0 20 14.5Z"/>',
  globe:
    '<circle cx="12" cy="12" r="9"/><path d="M3 12h18M12 3c5 5 5 13 0 18M12 3c-5 5-5 13 0 18"/>',
  chevron: '<path d="m9 6 6 6-6 6"/>',
  note: '<circle cx="12" cy="12" r="9"/><path d="M12 11v5M12 7.8v.2"/>',
  tip: '<path d="M9.5 18h5M10.5 21h3M12 3a6 6 0 0 0-3.6 10.8c.7.6 1.1 1.3 1.1 2.2h5c0-.9.4-1.6 1.1-2.2A6 6 0 0 0 12 3Z"/>',
  important: '<path d="M4 5h16v11h-8l-4 4v-4H4ZM12 8v3M12 13.3v.2"/>',
  warning: '<path d="M12 4 2.8 19.5h18.4ZM12 10v4.5M12 17v.2"/>',
  caution: '<path d="M8.3 3h7.4L21 8.3v7.4L15.7 21H8.3L3 15.7V8.3ZM12 7.5v5.5M12 16v.2"/>',
}

/** An icon of the theme, 24 by 24, in the colour of the surrounding text and hidden from screen readers. */
export function icon(name: keyof typeof paths): Html {
  return new Html(`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">${paths[name]}</svg>`)
}
