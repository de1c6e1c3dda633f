// @ts-check
// Who has signed in here. The cookie is not for scripts to see, so this browser notes beside it that there
// is one: who has none is not asked about, and gets no error for it.
import { ask, Refusal } from './api.js'

/** @typedef {import('../schema.ts').Account} Account */

const note = 'animal-store:signed-in'

/** The account that is signed in; undefined when there is none. Throws a Refusal when nobody can say. */
export async function findAccount() {
  if (!isNoted()) return undefined
  try {
    return /** @type {Account} */ (await ask('GET /session'))
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 401) throw error
    noteSession(false)
    return undefined
  }
}

/** To be called when a session has begun or ended. @param {boolean} isThere */
export function noteSession(isThere) {
  try {
    if (isThere) localStorage.setItem(note, 'yes')
    else localStorage.removeItem(note)
  } catch {
    // Storage may be forbidden: then it is asked each time.
  }
}

function isNoted() {
  try {
    return localStorage.getItem(note) !== null
  } catch {
    return true
  }
}
