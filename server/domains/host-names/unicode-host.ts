// The display form of a host name. A label is shown in Unicode only if it cannot be mistaken for another one;
// otherwise in ASCII (xn--…), as browsers do. The rule is deliberately simple: see isSafeLabel.
import { domainToASCII, domainToUnicode } from 'node:url'

/** Each label in Unicode where that is safe, else as it is. Takes and keeps lower-case ASCII names. */
export function unicodeHost(ascii: string): string {
  const labels = ascii.split('.')
  const top = decode(labels.at(-1) ?? '')
  return labels
    .map((label) => {
      const decoded = decode(label)
      return isSafeLabel(decoded, top) ? decoded : label
    })
    .join('.')
}

/** Whether a label that begins with `xn--` is the encoded form of some name, and its only one. */
export function isHonestPunycode(label: string): boolean {
  if (!label.startsWith('xn--')) return false
  const decoded = decode(label)
  return decoded !== label && !/^[\x20-\x7f]*$/.test(decoded) && domainToASCII(decoded) === label
}

function decode(label: string): string {
  return label.startsWith('xn--') ? domainToUnicode(label) || label : label
}

/** Letters that look Latin; a label that consists only of them is shown in ASCII. */
const looksLatin: readonly { script: RegExp; letters: RegExp }[] = [
  { script: /\p{Script=Cyrillic}/u, letters: /^[асԁеһіјӏорԛѕԝхуъЬҽпгѵѡкмтвнзь0-9-]+$/u },
  { script: /\p{Script=Greek}/u, letters: /^[αγεηικνορτυχωϲ0-9-]+$/u },
  { script: /\p{Script=Armenian}/u, letters: /^[ագզհոսցքօլնւ0-9-]+$/u },
]

/** Latin letters that look like ASCII ones: dotless, phonetic, small capitals. */
const oddLatin = /[ıȷĸſƅƚ\u0250-\u02af\u1d00-\u1dbf]/u

/** Scripts that are written together (UTS-39, highly restrictive). */
const together = [
  ['Latin', 'Han', 'Hiragana', 'Katakana'],
  ['Latin', 'Han', 'Hangul'],
  ['Latin', 'Han', 'Bopomofo'],
]

/**
 * Safe is a label of letters, digits and hyphens whose letters are of one script, or of those that Japanese,
 * Korean and Chinese write together, and which does not consist of look-alikes of Latin letters alone,
 * except below a top-level domain of the same script.
 */
function isSafeLabel(label: string, top: string): boolean {
  if (/^[\x20-\x7f]*$/.test(label)) return true
  if (!/^[\p{L}\p{M}\p{N}-]+$/u.test(label) || oddLatin.test(label)) return false
  const scripts = scriptsOf(label)
  const isOneScript = scripts.size === 1 && !scripts.has('other')
  if (!isOneScript && !together.some((set) => scripts.isSubsetOf(new Set(set)))) return false
  return !looksLatin.some(
    ({ script, letters }) => script.test(label) && letters.test(label) && !script.test(top),
  )
}

const scriptNames = [
  'Latin',
  'Han',
  'Hiragana',
  'Katakana',
  'Hangul',
  'Bopomofo',
  'Cyrillic',
  'Greek',
  'Armenian',
  'Arabic',
  'Hebrew',
  'Devanagari',
  'Bengali',
  'Gurmukhi',
  'Gujarati',
  'Oriya',
  'Tamil',
  'Telugu',
  'Kannada',
  'Malayalam',
  'Sinhala',
  'Thai',
  'Lao',
  'Khmer',
  'Myanmar',
  'Georgian',
  'Ethiopic',
  'Tibetan',
]
const scriptForms = scriptNames.map(
  (name) => [name, new RegExp(`\\p{Script=${name}}`, 'u')] as const,
)

/** Of the letters and marks; what all scripts share (digits, accents, ー) counts for none. */
function scriptsOf(label: string): Set<string> {
  const scripts = new Set<string>()
  for (const char of label) {
    if (/\p{Script=Common}|\p{Script=Inherited}/u.test(char)) continue
    scripts.add(scriptForms.find(([, form]) => form.test(char))?.[0] ?? 'other')
  }
  return scripts
}
