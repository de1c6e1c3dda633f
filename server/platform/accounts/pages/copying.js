// @ts-check
// A block of commands with a button that copies it, and says so.
import { element, say } from './elements.js'

const saidForMs = 2000

/** @param {string} label What it is, for those who do not see it. */
export function commandBlock(label) {
  const code = element('code')
  const pre = element('pre', { tabindex: '0', role: 'region', 'aria-label': label }, code)
  const button = element('button', { type: 'button', class: 'copy' }, 'Copy')
  button.setAttribute('aria-label', `Copy: ${label}`)
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer
  button.addEventListener('click', async () => {
    const done = (await copy(code)) ? 'Copied' : 'Selected'
    button.textContent = done
    say(`${done}.`)
    clearTimeout(timer)
    timer = setTimeout(() => {
      button.textContent = 'Copy'
      say('')
    }, saidForMs)
  })
  return {
    root: element('div', { class: 'commands' }, pre, button),
    /** @param {string} text */
    write(text) {
      code.textContent = text
    },
  }
}

/** Plain HTTP has no clipboard, except on this machine: there what is to be copied is selected. */
/** @param {HTMLElement} code */
async function copy(code) {
  try {
    await navigator.clipboard.writeText(code.textContent ?? '')
    return true
  } catch {
    getSelection()?.selectAllChildren(code)
    return false
  }
}
