// @ts-check
// How the values of parameters and form bodies are written, by "Style Values" of OpenAPI 3.1.1 (section 4.8.12.3) and the
// expansions of RFC 6570. The samples are written with it, and the script of Try it contains it, so that both send the same.
// What the specification leaves open follows what servers read most: deepObject within deepObject has further brackets, its
// lists have empty ones, and other nested values are JSON.

/**
 * A parameter. `style` is matrix, label, simple, form, spaceDelimited, pipeDelimited, deepObject or cookie; `reserved` is
 * `allowReserved` of a query.
 * @typedef {{ name: string, in: 'path' | 'query' | 'header' | 'cookie', style: string, explode: boolean,
 *   reserved?: boolean | undefined }} Form
 */
/**
 * A property of a form body. It has a style if its Encoding Object has style, explode or allowReserved; `type` is the content
 * type of its parts.
 * @typedef {{ name: string, style?: string | undefined, explode: boolean, reserved?: boolean | undefined,
 *   type?: string | undefined, isFile: boolean }} FieldForm
 */
/** @typedef {{ name: string, text: string, type?: string, isFile: boolean }} Part */
/** @typedef {(text: string) => string} Encode */

/** @param {unknown} value @returns {value is object} */
const isObject = (value) => typeof value === 'object' && value !== null

/** @param {unknown} value */
const isSet = (value) => value !== undefined && value !== null

/** Not all browsers have it; nor do they have integers that need it. */
const json = /** @type {{ rawJSON: (text: string) => unknown }} */ (/** @type {unknown} */ (JSON))

/** Integers keep all their digits. @param {unknown} value */
export function textOfValue(value) {
  if (typeof value === 'string') return value
  const exact = (/** @type {string} */ _, /** @type {unknown} */ item) =>
    typeof item === 'bigint' ? json.rawJSON(String(item)) : item
  return JSON.stringify(value, exact) ?? 'null'
}

/** @param {string} text */
export function encode(text) {
  return encodeURIComponent(text.toWellFormed()).replaceAll("'", '%27')
}

/** `allowReserved`: without the characters that would end the value. @param {string} text */
function encodeUnreserved(text) {
  return encode(text)
    .replaceAll(/%25([0-9a-f]{2})/gi, '%$1')
    .replaceAll(/%(?:3A|2F|3F|40|24|2C|3B|3D)/g, decodeURIComponent)
}

/** A cookie has no blanks, quotes, commas, semicolons and backslashes (RFC 6265). @param {string} text */
const encodeCookie = (text) => text.replaceAll(/[\s",;\\]/g, encode)

/** @type {Record<string, string>} Between the items of a value that is not exploded. */
const delimiters = { spaceDelimited: ' ', pipeDelimited: '|' }

/**
 * The names and values of a form, its text not yet encoded but for `encode`.
 * @param {Form} form @param {unknown} value @param {Encode} encode @returns {[string, string][]}
 */
function pairsOf({ name, style, explode }, value, encode) {
  const text = (/** @type {unknown} */ item) => encode(textOfValue(item))
  if (style === 'deepObject' && isObject(value)) return deepPairs(name, value, encode)
  const key = encode(name)
  if (!isObject(value)) return [[key, text(value)]]
  const items = Array.isArray(value) ? value.filter(isSet) : undefined
  const entries = Object.entries(value).filter(([, item]) => isSet(item))
  if (explode) {
    if (items) return items.map((item) => [key, text(item)])
    return entries.map(([property, item]) => [encode(property), text(item)])
  }
  const delimiter = delimiters[style]
  const flat = items ?? entries.flat()
  return [[key, flat.map(text).join(delimiter === undefined ? ',' : encode(delimiter))]]
}

/** @param {string} name @param {unknown} value @param {Encode} encode @returns {[string, string][]} */
function deepPairs(name, value, encode) {
  if (!isObject(value)) return isSet(value) ? [[encode(name), encode(textOfValue(value))]] : []
  const isFlat = Array.isArray(value) && !value.some(isObject)
  return Object.entries(value).flatMap(([key, item]) =>
    deepPairs(`${name}[${isFlat ? '' : key}]`, item, encode),
  )
}

/**
 * The written value: `a=1&a=2` of a query (empty if there is nothing to send), what replaces `{a}` in a path, the text of a
 * header, `a=1; b=2` of cookies.
 * @param {Form} form @param {unknown} value
 */
export function writeParameter(form, value) {
  const { in: place, style, explode, reserved } = form
  const query = reserved ? encodeUnreserved : encode
  const encoders = { path: encode, query, header: String, cookie: encodeCookie }
  const pairs = pairsOf(form, value, (text) => encoders[place](text))
  if (style === 'matrix') return pairs.map(([key, text]) => `;${key}${text && `=${text}`}`).join('')
  const isInPath = place === 'path' || place === 'header'
  const isUnnamed = isInPath && !(explode && isObject(value) && !Array.isArray(value))
  const texts = pairs.map(([key, text]) => (isUnnamed ? text : `${key}=${text}`))
  if (style === 'label') return `.${texts.join('.')}`
  return texts.join(isInPath ? ',' : place === 'cookie' ? '; ' : '&')
}

/**
 * The parts of a form body that a property becomes. With a style it is written as in a query; otherwise each item of a list
 * is a part, and an object is JSON ("Encoding Object", OpenAPI 3.1.1, section 4.8.15).
 * @param {FieldForm} form @param {unknown} value @returns {Part[]}
 */
export function writeField({ name, style, explode, type, isFile }, value) {
  if (style !== undefined) {
    const pairs = pairsOf({ name, in: 'query', style, explode }, value, String)
    return pairs.map(([name, text]) => ({ name, text, isFile: false }))
  }
  const items = Array.isArray(value) ? value.filter(isSet) : [value]
  return items.map((item) => {
    const own = type ?? (isObject(item) && !isFile ? 'application/json' : undefined)
    return { name, text: textOfValue(item), isFile, ...(own !== undefined && { type: own }) }
  })
}

/**
 * A property in a body of `application/x-www-form-urlencoded`, with the delimiters of its style unencoded.
 * @param {FieldForm} form @param {unknown} value
 */
export function writeUrlencoded(form, value) {
  const { style } = form
  if (style !== undefined) return writeParameter({ ...form, style, in: 'query' }, value)
  return urlencoded(writeField(form, value))
}

/** @param {readonly { name: string, text: string }[]} parts */
export function urlencoded(parts) {
  return parts.map(({ name, text }) => `${encode(name)}=${encode(text)}`).join('&')
}

/**
 * The value of a field that a reader filled in: a list is JSON, or its items with commas between them; an object is JSON.
 * Throws SyntaxError.
 * @param {string | undefined} kind @param {string} text @returns {unknown}
 */
export function readFieldValue(kind, text) {
  if (kind === 'object' || (kind === 'list' && /^\s*\[/.test(text))) return JSON.parse(text)
  return kind === 'list' ? text.split(',').map((item) => item.trim()) : text
}
