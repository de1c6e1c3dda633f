// HTML that is safe by construction: what is put into an `html` template is escaped, unless it is HTML
// itself.

/** HTML that may go into a page as it is. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Value = string | number | Html | undefined | false | readonly Value[]

/** The template's own text stays; strings are escaped, lists joined; undefined and false are nothing. */
export function html(strings: TemplateStringsArray, ...values: Value[]): Html {
  let text = strings[0] ?? ''
  for (const [index, value] of values.entries()) text += written(value) + strings[index + 1]
  return new Html(text)
}

function written(value: Value): string {
  if (value instanceof Html) return value.text
  if (typeof value === 'string') return escapeHtml(value)
  if (typeof value === 'number') return String(value)
  if (value === undefined || value === false) return ''
  return value.map(written).join('')
}

const escapes: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** For text and for attribute values in either kind of quotes. */
export function escapeHtml(text: string): string {
  return /[&<>"']/.test(text)
    ? text.replaceAll(/[&<>"']/g, (character) => escapes[character] ?? '')
    : text
}
