// @ts-check
// On the page for addresses that lead nowhere: the pages whose addresses are nearest to this one, by letters and digits of
// their last parts. theme/site.js loads it there; without scripts the page is as it is.

const maxNearest = 3
const maxCompared = 60
const maxDifference = 0.4

/** The letters and digits of each part, from the last one on. @param {string} path */
function partsOf(path) {
  const parts = decoded(path)
    .toLowerCase()
    .split('/')
    .filter((part) => part !== '')
  const last = parts.at(-1) ?? ''
  if (/^(?:index|readme)(?:\.|$)/.test(last)) parts.pop()
  return parts
    .map((part) => part.replace(/\.(?:html?|mdx?)$/, '').replaceAll(/[^\p{L}\p{M}\p{N}]/gu, ''))
    .reverse()
}

/** @param {string} path */
function decoded(path) {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** From 0 for equal texts to 1: characters to insert, delete or replace. @param {string} a @param {string} b */
function difference(a, b) {
  const [x, y] = [a.slice(0, maxCompared), b.slice(0, maxCompared)]
  let row = Array.from({ length: y.length + 1 }, (_, i) => i)
  for (let i = 1; i <= x.length; i++) {
    const next = [i]
    for (let j = 1; j <= y.length; j++) {
      const [corner = 0, above = 0, left = 0] = [row[j - 1], row[j], next[j - 1]]
      next.push(Math.min(above + 1, left + 1, corner + (x[i - 1] === y[j - 1] ? 0 : 1)))
    }
    row = next
  }
  const share = (row.at(-1) ?? 0) / Math.max(1, x.length, y.length)
  // `install` and `installation`.
  const isStart = Math.min(x.length, y.length) > 3 && (x.startsWith(y) || y.startsWith(x))
  return isStart ? Math.min(share, 0.3) : share
}

/** @param {string} wanted @param {string[]} paths */
function nearestOf(wanted, paths) {
  const [last = '', ...above] = partsOf(wanted)
  return paths
    .flatMap((path) => {
      const [name = '', ...rest] = partsOf(path)
      const far = last === '' || name === '' ? 1 : difference(name, last)
      const all = far + difference(rest.join('/'), above.join('/')) / 4
      return far > maxDifference ? [] : [{ path, all }]
    })
    .sort((a, b) => a.all - b.all)
    .slice(0, maxNearest)
    .map(({ path }) => path)
}

/** @param {HTMLElement} place @param {string} source The address of the sitemap. */
async function show(place, source) {
  const response = await fetch(source)
  if (!response.ok) return
  const map = new DOMParser().parseFromString(await response.text(), 'text/xml')
  const paths = [...map.querySelectorAll('loc')].flatMap(
    ({ textContent }) => URL.parse(textContent)?.pathname ?? [],
  )
  const links = nearestOf(location.pathname, paths).map((path) => {
    const link = document.createElement('a')
    link.href = path
    link.textContent = decoded(path)
    const item = document.createElement('li')
    item.append(link)
    return item
  })
  if (links.length === 0) return
  const list = document.createElement('ul')
  list.append(...links)
  place.append('Did you mean:', list)
  place.hidden = false
}

const place = document.querySelector('[data-site-nearest]')
if (place instanceof HTMLElement) void show(place, place.dataset.siteNearest ?? '')
