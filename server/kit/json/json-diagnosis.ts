// Sentences for what JSON does not allow at a place. Called only once reading has failed, so that they may search the text
// freely. Each names the error and its fix.

import { quote } from './json-syntax-error.ts'

export type Container = 'object' | 'array'

const WORD = /[\p{L}_$][\p{L}\p{N}_$]*/uy
const CLOSER = { object: '}', array: ']' } as const

/** What is wrong where a value should start. */
export function diagnoseValue(text: string, at: number): string {
  if (at >= text.length) return 'the text ends where a value should stand; add the value.'
  const common = diagnoseForeign(text, at)
  if (common !== undefined) return common
  const char = text.charAt(at)
  if (char === ',' || char === ':' || char === ']' || char === '}') {
    return `a value is missing before "${char}"; add the value or remove what calls for it.`
  }
  if (char === '+') return 'a number must not start with "+"; remove the sign.'
  if (char === '.') return 'a number must not start with "."; put a 0 before it.'
  const word = wordAt(text, at)
  if (word !== '') return diagnoseWord(word)
  return `${describeCharacter(text, at)} cannot start a value; remove it.`
}

/** What is wrong where a key should start. */
export function diagnoseKey(text: string, at: number): string {
  if (at >= text.length) return diagnoseEnd('object')
  const common = diagnoseForeign(text, at)
  if (common !== undefined) return common
  const word = wordAt(text, at)
  if (word !== '') return `the key ${word} is not quoted; write ${quote(word)}.`
  const char = text.charAt(at)
  if (char === ',') return 'a comma stands where a key should; remove it.'
  return `${describeCharacter(text, at)} stands where a key should; write the key in double quotes.`
}

/** What is wrong after a key, where only a colon may stand. */
export function diagnoseColon(text: string, at: number): string {
  if (at >= text.length) return 'the text ends after a key; add ":" and a value.'
  return diagnoseForeign(text, at) ?? 'a colon is missing after the key; add ":".'
}

/** What is wrong after a member, where only a comma or the end of its container may stand. */
export function diagnoseAfterMember(text: string, at: number, container: Container): string {
  if (at >= text.length) return diagnoseEnd(container)
  const common = diagnoseForeign(text, at)
  if (common !== undefined) return common
  const char = text.charAt(at)
  const closer = CLOSER[container]
  if (char === ']' || char === '}') {
    return `"${char}" cannot close an ${container}; write "${closer}".`
  }
  return `${describeCharacter(text, at)} follows a value; add "," or "${closer}" before it.`
}

/** What is wrong after the whole value, where nothing may stand. */
export function diagnoseTrailing(text: string, at: number): string {
  const common = diagnoseForeign(text, at)
  if (common !== undefined) return common
  return `${describeCharacter(text, at)} follows the end of the JSON value; remove it.`
}

/** What is wrong with a number, given where its first digit should be and why reading stopped. */
export function diagnoseNumber(text: string, digitAt: number): string {
  const char = text.charAt(digitAt)
  if (char === '.') return 'a number must not start with "."; put a 0 before it.'
  if (wordAt(text, digitAt) !== '') return diagnoseWord(`-${wordAt(text, digitAt)}`)
  return 'a minus sign is not followed by a digit; add the digits or remove the sign.'
}

/** An unescaped control character inside a string, with the escape to write instead. */
export function diagnoseControl(code: number): string {
  if (code === 0) return diagnoseNul()
  const escaped = JSON.stringify(String.fromCharCode(code)).slice(1, -1)
  return `the control character ${codePoint(code)} stands in a string; write ${escaped} instead.`
}

export function diagnoseNul(): string {
  return 'the character NUL (U+0000) is not accepted; remove it.'
}

/** A backslash sequence that JSON does not have. */
export function diagnoseEscape(text: string, at: number): string {
  if (at + 1 >= text.length) return 'the text ends inside a string; add the closing double quote.'
  if (text.charAt(at + 1) === 'u') return '\\u must be followed by four hexadecimal digits.'
  const shown = describeCharacter(text, at + 1)
  return `a backslash before ${shown} is no escape of JSON; write \\\\ for a backslash.`
}

/** Things of other notations, wherever they turn up. */
function diagnoseForeign(text: string, at: number): string | undefined {
  const char = text.charAt(at)
  if (char === '\0') return diagnoseNul()
  if (char === '\uFEFF') return 'a byte-order mark stands here; remove it.'
  if (char === '#' || text.startsWith('//', at) || text.startsWith('/*', at)) {
    return 'JSON has no comments; remove this one.'
  }
  if ("'`\u2018\u2019\u201C\u201D".includes(char)) {
    return `${char} cannot quote a string or a key; use double quotes (").`
  }
  return undefined
}

function diagnoseEnd(container: Container): string {
  return `the text ends inside an ${container}; add "${CLOSER[container]}".`
}

function diagnoseWord(word: string): string {
  const lower = word.toLowerCase()
  if (lower === 'true' || lower === 'false' || lower === 'null') {
    return `${word} must be in lower case; write ${lower}.`
  }
  if (/^-?(nan|inf|infinity)$/.test(lower)) {
    return `${word} is no number of JSON; send a finite number or null.`
  }
  return `${quote(word).slice(1, -1)} is no value of JSON; put text in double quotes.`
}

function wordAt(text: string, at: number): string {
  WORD.lastIndex = at
  return WORD.exec(text)?.[0] ?? ''
}

function describeCharacter(text: string, at: number): string {
  const code = text.codePointAt(at) ?? 0
  if (code > 0x20 && code < 0x7f) return code === 0x22 ? 'a double quote' : quote(text.charAt(at))
  return `the character ${codePoint(code)}`
}

function codePoint(code: number): string {
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}
