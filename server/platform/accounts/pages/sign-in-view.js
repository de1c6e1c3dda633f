// @ts-check
// The form to sign in, and what there is for those who cannot.
import { ask } from './api.js'
import { commandBlock } from './copying.js'
import { element, show } from './elements.js'
import { currentPasswordField, emailField } from './field.js'
import { createForm } from './form.js'
import { noteSession } from './session.js'

/**
 * @param {() => Promise<unknown>} enter
 * @param {string} [note] What has happened before.
 */
export function showSignIn(enter, note) {
  const form = createForm({
    fields: [emailField(), currentPasswordField()],
    label: 'Sign in',
    busy: 'Signing in …',
    places: { invalid_credentials: { field: 'password' } },
    async send(values) {
      await ask('POST /session', values)
      noteSession(true)
      await enter()
    },
  })
  const reset = commandBlock('Make a link')
  reset.write('./animal-store accounts reset you@example.com')
  const forgotten = element(
    'details',
    {},
    element('summary', {}, 'Forgotten your password?'),
    element('p', {}, 'Ask your operator for a link that sets a new one.'),
    element(
      'p',
      {},
      'An operator makes such a link on the server’s machine, in the folder of the program:',
    ),
    reset.root,
  )
  const none = element(
    'details',
    {},
    element('summary', {}, 'No account yet?'),
    element('p', {}, 'Ask your operator for an invitation.'),
    element(
      'p',
      {},
      'Nobody has one? Start the program: it prints a link that makes the first account.',
    ),
  )
  const body = [form, element('div', { class: 'asides' }, forgotten, none)]
  show('Sign in', note === undefined ? body : [element('p', { class: 'note' }, note), ...body])
}
