// @ts-check
// Decides what is shown: by the address, the token behind the #, and who has signed in. The token leaves
// the address bar at once; it stays with this entry of the history, so that a reload does not lose it.
import { ask, Refusal } from './api.js'
import { showWaiting } from './elements.js'
import {
  isLinkPage,
  showDeadLink,
  showLinkForm,
  showNoToken,
  showUnreachable,
} from './link-views.js'
import { nextAddress } from './next-address.js'
import { findAccount } from './session.js'
import { showSignIn } from './sign-in-view.js'

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
  if (account) await enter()
  else showSignIn(enter, notes.get(new URLSearchParams(location.search).get('after') ?? ''))
}

/** What has happened before, as the dashboard says it in the address. */
const notes = new Map([
  ['ended', 'Your session has ended. Sign in again.'],
  ['left', 'You have signed out.'],
])

/** To the dashboard. Never resolves: until the page has gone, nothing here may be sent again. */
function enter() {
  location.replace(nextAddress(location))
  return new Promise(() => {})
}

// The browser's way back may bring this page as it was when it was left.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) void start()
})

// Another link pasted into the same tab loads nothing: only what is behind the # changes.
addEventListener('hashchange', () => void start())
void start()
