// The one notation of a place inside a JSON value: `name`, `items[3].name`, and the empty text for the whole value.

const PLAIN_KEY = /^[A-Za-z_$][\w$-]*$/
const MAX_QUOTED_LENGTH = 40

/** The path of a key inside the object at `parent`; a key of unusual characters is quoted. */
export function appendKey(parent: string, key: string): string {
  if (!PLAIN_KEY.test(key) || key.length > MAX_QUOTED_LENGTH) return `${parent}[${quote(key)}]`
  return parent === '' ? key : `${parent}.${key}`
}

/** The path of an entry inside the array at `parent`; indices start at 0. */
export function appendIndex(parent: string, index: number): string {
  return `${parent}[${index}]`
}

/** Text from outside, fit for a message: in double quotes, escaped, at most 40 units long. */
export function quote(text: string): string {
  if (text.length <= MAX_QUOTED_LENGTH) return JSON.stringify(text)
  return JSON.stringify(`${text.slice(0, MAX_QUOTED_LENGTH - 1).toWellFormed()}…`)
}
