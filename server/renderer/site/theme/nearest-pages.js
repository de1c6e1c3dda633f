// @ts-check
// On the page for addresses that lead nowhere: the pages whose addresses are nearest to this one, by letters and digits of
// their last part, then of all. theme/site.js loads it there; without scripts the page is as it is.
import { element } from './element.js'

const maxNearest = 3
const maxCompared = 60
const minLikeness = 0.4

/** What is compared: each three letters or digits of the last part, and of all. @param {string} path */
function threesOf(path) {
  const text = decodeURI(path)
    .toLowerCase()
    .replace(/\/$|(?:\/index)?\.(?:html?|mdx?)$/, '')
  return [text.slice(text.lastIndexOf('/')), text].map((part) => {
    const letters = part.replaceAll(/[^\p{L}\p{M}\p{N}]/gu, '').slice(-maxCompared)
    return new Set(Array.from(letters, (_, i) => letters.slice(i, i + 3)))
  })
}

/** The share of what both have (Dice), from 0 to 1 for equal ones. */
const likeness = (a = new Set(), b = new Set()) =>
  (2 * a.intersection(b).size) / Math.max(1, a.size + b.size)

/** @param {Element} place @param {string} source The address of the sitemap. */
async function showNearest(place, source) {
  const response = await fetch(source)
  const sought = threesOf(location.pathname)
  const map = new DOMParser().parseFromString(await response.text(), 'text/xml')
  const nearest = [...map.querySelectorAll('loc')]
    .map(({ textContent }) => new URL(textContent).pathname)
    .map((path) => ({ path, near: threesOf(path).map((threes, i) => likeness(threes, sought[i])) }))
    .filter(({ near: [last = 0] }) => last >= minLikeness)
    .sort(({ near: [a = 0, inAll = 0] }, { near: [b = 0, other = 0] }) => b - a || other - inAll)
    .slice(0, maxNearest)
  if (nearest.length === 0) return
  const items = nearest.map(({ path }) =>
    element('li', {}, element('a', { href: path }, decodeURI(path))),
  )
  place.append('Did you mean:', element('ul', {}, ...items))
  place.removeAttribute('hidden')
}

const place = document.querySelector('[data-site-nearest]')
// Without a list there is nothing to propose.
if (place) showNearest(place, place.getAttribute('data-site-nearest') ?? '').catch(() => {})
