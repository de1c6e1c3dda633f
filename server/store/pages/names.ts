// What the store takes for a name: of an animal, of a category.
import { Type } from 'typebox'

/** White space that is no control character, for a character class. */
const spaces = '\\u0020\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000'

/** 1 to 255 characters, one of them not white space, none a control character. */
export const plainText = (description: string, example: string) =>
  Type.String({
    description,
    minLength: 1,
    maxLength: 255,
    // Written without property escapes and look-aheads, which the regular expressions of many languages lack.
    pattern: `^[${spaces}]*[^\\u0000-\\u001f\\u007f-\\u009f${spaces}][^\\u0000-\\u001f\\u007f-\\u009f]*$`,
    'x-pattern-message':
      'must contain a character that is not white space, and no control characters',
    examples: [example],
  })
