// @ts-check
// A block of commands with a button that copies it, and says so.
import { element, say } from './elements.js'

const saidForMs = 2000

/** @param {string} label What the commands do, in a few words. */
export function commandBlock(label) {
  const code = element('code')
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
  const bar = element('div', { class: 'bar' }, element('span', {}, label), button)
  return {
    root: element('div', { class: 'commands' }, bar, element('pre', {}, code)),
    /** @param {string} text */
    write(text) {
      code.replaceChildren(...text.split(/(?<=\n)/).map(lineElement))
    },
  }
}

/** Broken between words, which have hyphens that nobody wants broken at. @param {string} line */
function lineElement(line) {
  const words = line.split(/(?<= )(?! )/).map((word) => element('span', {}, word))
  return element('span', { class: 'line' }, ...words)
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
