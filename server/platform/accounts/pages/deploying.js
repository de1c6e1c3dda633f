// @ts-check
// How to publish something from here: an access token at the press of a button, and the commands with it.
import { ask, explain, Refusal } from './api.js'
import { commandBlock } from './copying.js'
import { element } from './elements.js'
import { timeElement } from './times.js'

/** @typedef {{ token: string, expiresAt: string }} IssuedToken */

const placeholder = 'as_pat_…'

/** @param {string} token */
const withProgram = (token) => `export ANIMAL_STORE_URL=${location.origin}
export ANIMAL_STORE_TOKEN=${token}
./animal-store deploy ./docs --project my-docs --create`

/** @param {string} token */
const withCurl = (token) => `export ANIMAL_STORE_TOKEN=${token}
curl -s ${location.origin}/api/projects -H "Authorization: Bearer $ANIMAL_STORE_TOKEN" \\
  -H 'Content-Type: application/json' -d '{"name":"My docs","slug":"my-docs"}'
curl -s ${location.origin}/api/projects/my-docs/archives -H "Authorization: Bearer $ANIMAL_STORE_TOKEN" \\
  -H 'Content-Type: application/zip' --data-binary @docs.zip`

/** The section. @param {() => void} leave To be called when the session has ended. */
export function deploySection(leave) {
  const program = commandBlock('Deploy a folder')
  const curl = commandBlock('Deploy an archive')
  /** @param {string} token */
  const write = (token) => {
    program.write(withProgram(token))
    curl.write(withCurl(token))
  }
  write(placeholder)
  return element(
    'section',
    { 'aria-labelledby': 'deploy' },
    element('h2', { id: 'deploy' }, 'Publish something'),
    element(
      'p',
      {},
      'Run this in the folder of the program, on any machine. ',
      element('code', {}, './docs'),
      ' is the folder to publish, a finished site or Markdown; ',
      element('code', {}, 'my-docs'),
      ' is the first part of its address. On the server’s own machine the last line is enough.',
    ),
    tokenMaker(write, leave),
    program.root,
    element('details', {}, element('summary', {}, 'Without the program, by curl'), curl.root),
  )
}

/** @param {(token: string) => void} write @param {() => void} leave */
function tokenMaker(write, leave) {
  const fault = element('p', { class: 'fault', role: 'alert' })
  const button = element(
    'button',
    { type: 'button', class: 'button quiet' },
    'Make an access token',
  )
  const why = element('p', {}, 'The commands need an access token, which stands for you.')
  const box = element('div', { class: 'token' }, why, button, fault)
  button.addEventListener('click', async () => {
    if (button.ariaDisabled) return
    button.ariaDisabled = 'true'
    fault.textContent = ''
    try {
      const body = { label: 'Deploying' }
      const made = /** @type {IssuedToken} */ (await ask('POST /account/tokens', body))
      write(made.token)
      const until = timeElement(made.expiresAt)
      const done = element(
        'p',
        { tabindex: '-1' },
        'Your access token is in the commands. It is shown this once, and works until ',
        until,
        '.',
      )
      box.replaceChildren(done)
      done.focus()
    } catch (error) {
      if (error instanceof Refusal && error.status === 401) return leave()
      fault.textContent = explain(error)
    } finally {
      button.ariaDisabled = null
    }
  })
  return box
}
