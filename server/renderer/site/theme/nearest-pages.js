// @ts-check
// On the page for addresses that lead nowhere: the pages whose addresses are nearest to this one, by letters and digits of
// their last part, then of the others. theme/site.js loads it there; without scripts the page is as it is.
import { element } from './element.js'

const maxNearest = 3
const maxCompared = 60
const maxDifference = 0.4

/** The letters and digits of the last part, and of all. @param {string} path */
function lettersOf(path) {
  const text = decodeURI(path)
    .toLowerCase()
    .replace(/\/$|(?:\/index)?\.(?:html?|mdx?)$/, '')
  return [text.slice(text.lastIndexOf('/')), text].map((part) =>
    part.replaceAll(/[^\p{L}\p{M}\p{N}]/gu, '').slice(-maxCompared),
  )
}

/** Characters to insert, delete or replace, as a share: from 0 for equal texts to 1. */
function difference(a = '', b = '') {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (const [i, character] of [...a].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...b].entries()) {
      const [corner = 0, above = 0] = row.slice(j, j + 2)
      next.push(Math.min(above + 1, (next[j] ?? 0) + 1, corner + Number(character !== other)))
    }
    row = next
  }
  const share = (row.at(-1) ?? 0) / Math.max(1, a.length, b.length)
  // `install` and `installation`.
  const isStart = Math.min(a.length, b.length) > 3 && (a.startsWith(b) || b.startsWith(a))
  return isStart ? Math.min(share, 0.3) : share
}

/** @param {Element} place @param {string} source The address of the sitemap. */
async function showNearest(place, source) {
  const response = await fetch(source)
  const [last, all] = lettersOf(location.pathname)
  const map = new DOMParser().parseFromString(await response.text(), 'text/xml')
  const nearest = [...map.querySelectorAll('loc')]
    .map(({ textContent }) => new URL(textContent).pathname)
    .flatMap((path) => {
      const [its, whole] = lettersOf(path)
      const far = difference(its, last)
      return far > maxDifference ? [] : [{ path, far, farInAll: difference(whole, all) }]
    })
    .sort((a, b) => a.far - b.far || a.farInAll - b.farInAll)
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
