// @ts-check
// One field of a form: label, input, hint, and its error, tied together for those who do not see them.
import { element } from './elements.js'

/**
 * @typedef {object} FieldWanted
 * @property {string} name As the API calls it.
 * @property {string} label
 * @property {string} subject What a sentence about it begins with.
 * @property {string} autocomplete
 * @property {string} [hint]
 * @property {string} [fixed] A value that stays as it is.
 * @property {'text' | 'email' | 'password'} kind
 * @property {(value: string) => string | undefined} [check] Why it cannot be sent.
 * @property {(value: string) => string} [measure] A hint that follows what is typed.
 */

/** @typedef {ReturnType<typeof createField>} Field */

/** @param {FieldWanted} wanted */
export function createField({
  name,
  label,
  subject,
  kind,
  hint,
  fixed,
  check,
  measure,
  ...wanted
}) {
  const isPassword = kind === 'password'
  const input = element('input', {
    id: name,
    name,
    type: isPassword ? 'password' : 'text',
    autocomplete: wanted.autocomplete,
    required: '',
    ...(kind === 'text' ? {} : { autocapitalize: 'none', autocorrect: 'off', spellcheck: 'false' }),
    ...(kind === 'email' ? { inputmode: 'email' } : {}),
    ...(fixed === undefined ? {} : { readonly: '', value: fixed }),
  })
  const hintLine = element('p', { class: 'hint', id: `${name}-hint` }, hint ?? '')
  const errorLine = element('p', { class: 'error', id: `${name}-error` })
  const box = element('div', { class: 'input' }, input)
  if (isPassword) box.append(showButton(input))
  const root = element('div', { class: 'field' }, element('label', { for: name }, label), box)
  if (hint !== undefined) root.append(hintLine)
  root.append(errorLine)

  /** @param {string | undefined} text Undefined takes it away. */
  function setError(text) {
    errorLine.textContent = text ?? ''
    // The error says all that the hint does.
    hintLine.hidden = text !== undefined
    if (text === undefined) input.removeAttribute('aria-invalid')
    else input.setAttribute('aria-invalid', 'true')
    const described = text === undefined ? hint && hintLine.id : errorLine.id
    if (described) input.setAttribute('aria-describedby', described)
    else input.removeAttribute('aria-describedby')
  }
  input.addEventListener('input', () => {
    setError(undefined)
    if (measure) hintLine.textContent = input.value === '' ? (hint ?? '') : measure(input.value)
  })
  setError(undefined)

  return {
    root,
    input,
    name,
    setError,
    /** Without the space around it that comes with pasting; a password is taken as it is. */
    value: () => (isPassword ? input.value : input.value.trim()),
    /** Shows why it cannot be sent. True when it can. */
    isReady() {
      const value = isPassword ? input.value : input.value.trim()
      const error = value === '' ? `${subject} is missing.` : check?.(value)
      setError(error)
      return error === undefined
    },
    /** Shows an error of the API's, which calls the field by its name there. @param {string} message */
    refuse(message) {
      setError(message.startsWith(`${name} `) ? subject + message.slice(name.length) : message)
    },
    hide() {
      if (isPassword && input.type === 'text') root.querySelector('button')?.click()
    },
  }
}

/** @param {HTMLInputElement} input */
function showButton(input) {
  const button = element('button', { type: 'button', class: 'reveal', 'aria-controls': input.id })
  const update = () => {
    const isShown = input.type === 'text'
    button.textContent = isShown ? 'Hide' : 'Show'
    button.setAttribute('aria-label', isShown ? 'Hide the password' : 'Show the password')
  }
  button.addEventListener('click', () => {
    input.type = input.type === 'text' ? 'password' : 'text'
    update()
  })
  update()
  return button
}

export const nameField = () =>
  createField({
    name: 'name',
    label: 'Your name',
    subject: 'Your name',
    kind: 'text',
    autocomplete: 'name',
  })

/** @param {{ hint?: string, fixed?: string }} [options] */
export const emailField = (options = {}) =>
  createField({
    name: 'email',
    label: 'E-mail',
    subject: 'The e-mail address',
    kind: 'email',
    autocomplete: 'username',
    // What is one exactly, the server knows.
    check: (value) =>
      /.@./.test(value) ? undefined : 'The e-mail address must be one such as rosa@example.com.',
    ...options,
  })

export const currentPasswordField = () =>
  createField({
    name: 'password',
    label: 'Password',
    subject: 'The password',
    kind: 'password',
    autocomplete: 'current-password',
  })

const [shortest, longest] = [12, 256]
/** As the server counts. @param {string} text */
const lengthOf = (text) => [...text.normalize('NFC')].length

/** @param {string} label */
export const newPasswordField = (label) =>
  createField({
    name: 'password',
    label,
    subject: 'The password',
    kind: 'password',
    autocomplete: 'new-password',
    hint: `At least ${shortest} characters. A few words in a row do well.`,
    measure(value) {
      const length = lengthOf(value)
      if (length < shortest) return `${length} of at least ${shortest} characters.`
      return `${length} characters: long enough.`
    },
    check(value) {
      const length = lengthOf(value)
      if (length >= shortest && length <= longest) return undefined
      const most = length > longest ? `at most ${longest}` : `at least ${shortest}`
      return `The password must have ${most} characters; it has ${length}.`
    },
  })
