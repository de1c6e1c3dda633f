// @ts-check
// Decides what is shown: by the address, the token behind the #, and who has signed in. The token leaves
// the address bar at once; it stays with this entry of the history, so that a reload does not lose it.
import { ask, Refusal } from './api.js'
import { showWaiting } from './elements.js'
import { showHome } from './home-view.js'
import {
  isLinkPage,
  showDeadLink,
  showLinkForm,
  showNoToken,
  showUnreachable,
} from './link-views.js'
import { findAccount } from './session.js'
import { showSignIn } from './sign-in-view.js'

/** @typedef {import('./session.js').Account} Account */
/** @typedef {import('./link-views.js').Link} Link */

function takeToken() {
  if (location.hash.length > 1) {
    history.replaceState({ token: location.hash.slice(1) }, '', location.pathname)
  }
  /** @type {unknown} */
  const token = history.state?.token
  return typeof token === 'string' ? token : undefined
}

async function start() {
  const path = location.pathname
  const token = isLinkPage(path) ? takeToken() : undefined
  showWaiting()
  try {
    if (isLinkPage(path)) await openLink(path, token)
    else await openFront()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    showUnreachable(start)
  }
}

/** @param {string} path @param {string | undefined} token */
async function openLink(path, token) {
  const [link, account] = await Promise.all([token && findLink(token), findAccount()])
  if (!token) showNoToken(path, account)
  else if (!link) showDeadLink(path, account)
  else showLinkForm(link, token, account, enter)
}

/** Undefined when it is good for nothing. @param {string} token */
async function findLink(token) {
  try {
    return /** @type {Link} */ (await ask('POST /links/check', { token }))
  } catch (error) {
    if (!(error instanceof Refusal) || !['link_not_valid', 'invalid_body'].includes(error.code))
      throw error
    return undefined
  }
}

async function openFront() {
  const account = await findAccount()
  if (account) enter(account)
  else showSignIn(enter)
}

/** @param {Account} account */
function enter(account) {
  history.replaceState(null, '', '/')
  showHome(account, (note) => showSignIn(enter, note))
}

// Another link pasted into the same tab loads nothing: only what is behind the # changes.
addEventListener('hashchange', () => void start())
void start()
