// Messages of the API as sentences of the dashboard.

/** Fields of the API in a sentence. A form never shows their names. */
const subjects: Record<string, string> = {
  categoryId: 'The category ID',
  colour: 'The colour',
  currentPassword: 'This password',
  host: 'The domain',
  label: 'The label',
  name: 'The name',
  newPassword: 'This password',
  password: 'This password',
  petId: 'The animal ID',
  rateLimit: 'The rate limit',
  slug: 'The subdomain',
  status: 'The status',
  url: 'This URL',
}

/** A message of the API as a sentence of a form: with a word for the field, without limits of int64 and settings. */
export function sentenceOf(path: string, message: string): string {
  const rest = message.startsWith(`${path} `) ? message.slice(path.length + 1) : undefined
  // A verb needs a subject; a rest that begins with a value has one.
  const subject = rest !== undefined && /^[a-z]+ /.test(rest) ? `${subjects[path] ?? 'It'} ` : ''
  const text = `${subject}${rest ?? message}`
    .replace('an integer from -9223372036854775808 to 9223372036854775807', 'a whole number')
    .replace(/must have 1 to \d+ characters; it has 0/, 'is empty')
    .replace(/ \(see [A-Z_]+\)/, '')
  const end = /[.!?]$/.test(text) ? '' : '.'
  // A host name is not a word.
  const startsWithHost = /^\S+\.\S/.test(text)
  return (startsWithHost ? text : text.charAt(0).toUpperCase() + text.slice(1)) + end
}
