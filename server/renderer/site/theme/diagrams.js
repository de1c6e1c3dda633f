// @ts-check
// Draws the diagrams of the page with Mermaid, which is loaded when there is one in sight. Mermaid writes style elements into
// its drawings, which the policy of the page forbids; in an image they are allowed, so a drawing is shown as one. It also
// follows the colour scheme. Without this script, and for what Mermaid cannot draw, the source is shown.

const library = 'mermaid'
const root = document.documentElement
const dark = matchMedia('(prefers-color-scheme: dark)')
const fontFamily = 'ui-sans-serif, system-ui, "Segoe UI", Arial, sans-serif'

/**
 * @typedef {{ initialize(options: object): void
 *   render(id: string, text: string, container: Element): Promise<{ svg: string }> }} Mermaid
 */

/** @type {Promise<Mermaid> | undefined} */
let loading
/** A classic script, which defines a global. */
function load() {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.src = library
    script.onload = () => resolve(/** @type {any} */ (globalThis).mermaid)
    script.onerror = reject
    document.head.append(script)
  })
  return loading
}

/**
 * What Mermaid writes as style elements and attributes has no effect here, but it measures text with it: scripts may set the
 * same styles.
 * @param {MutationRecord[]} records @param {CSSStyleSheet} sheet
 */
function applyStyles(records, sheet) {
  for (const { addedNodes, target, type } of records) {
    const elements = type === 'attributes' ? [target] : [...addedNodes, target]
    for (const element of elements) {
      if (element instanceof SVGStyleElement || element instanceof HTMLStyleElement)
        sheet.replaceSync(element.textContent ?? '')
      else if (element instanceof SVGElement || element instanceof HTMLElement) {
        const style = element.getAttribute('style')
        if (style !== null && element.style.cssText === '') element.style.cssText = style
      }
    }
  }
}

let count = 0

/** @param {Mermaid} mermaid @param {string} source @returns {Promise<SVGSVGElement | undefined>} */
async function draw(mermaid, source) {
  const isDark = (root.dataset.theme ?? (dark.matches ? 'dark' : 'light')) === 'dark'
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    suppressErrorRendering: true,
    theme: isDark ? 'dark' : 'neutral',
    htmlLabels: false,
    flowchart: { htmlLabels: false },
    fontFamily,
    maxTextSize: 50_000,
  })
  // Where it measures text.
  const draft = document.createElement('div')
  draft.className = 'diagram-draft'
  document.body.append(draft)
  const style = new CSSStyleSheet()
  document.adoptedStyleSheets.push(style)
  const observer = new MutationObserver((records) => applyStyles(records, style))
  observer.observe(draft, { attributeFilter: ['style'], childList: true, subtree: true })
  try {
    // Some diagrams are measured before the observer is called: the second time, the styles are there.
    const id = `site-diagram-${++count}`
    await mermaid.render(id, source, draft)
    const { svg } = await mermaid.render(id, source, draft)
    return new DOMParser().parseFromString(svg, 'text/html').querySelector('svg') ?? undefined
  } catch {
    return undefined
  } finally {
    observer.disconnect()
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => each !== style)
    draft.remove()
  }
}

/** @param {Element} block */
async function show(block) {
  const source = block.querySelector('code')?.textContent ?? ''
  const svg = await draw(await load(), source)
  if (!svg) return
  const { width, height } = svg.viewBox.baseVal
  svg.setAttribute('width', String(width))
  svg.setAttribute('height', String(height))
  const image = block.querySelector('img') ?? document.createElement('img')
  image.width = Math.ceil(width)
  image.height = Math.ceil(height)
  image.alt = svg.querySelector('title')?.textContent || 'Diagram'
  const text = new XMLSerializer().serializeToString(svg)
  image.src = `data:image/svg+xml,${encodeURIComponent(text)}`
  if (image.isConnected) return
  const details = document.createElement('details')
  const summary = document.createElement('summary')
  details.className = 'diagram-source'
  summary.textContent = 'Source of the diagram'
  const scroller = document.createElement('div')
  scroller.className = 'diagram-image'
  scroller.append(image)
  details.append(summary, ...block.childNodes)
  block.append(scroller, details)
  // It scrolls with the keyboard, too.
  if (scroller.scrollWidth > scroller.clientWidth) scroller.tabIndex = 0
}

/** One after the other: Mermaid has one configuration for all. */
let queue = Promise.resolve()
/** @param {Element} block */
const enqueue = (block) => {
  queue = queue.then(() => show(block)).catch(() => {})
}

const seen = new Set()
const watch = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting || seen.has(target)) continue
      seen.add(target)
      enqueue(target)
    }
  },
  { rootMargin: '50%' },
)
for (const block of document.querySelectorAll('.diagram')) watch.observe(block)

const redraw = () => {
  for (const block of seen) enqueue(block)
}
dark.addEventListener('change', redraw)
new MutationObserver(redraw).observe(root, { attributeFilter: ['data-theme'] })
