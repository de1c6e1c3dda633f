// @ts-check
// Draws the diagrams of the page with Mermaid, which is loaded when there is one in sight. Mermaid writes style elements into
// its drawings, which the policy of the page forbids; in an image they are allowed, so a drawing is shown as one. It also
// follows the colour scheme. Without this script, and for what Mermaid cannot draw, the source is shown.
import { element } from './element.js'

const root = document.documentElement
const dark = matchMedia('(prefers-color-scheme: dark)')

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

/** @param {string} source @returns {Promise<SVGSVGElement | null | undefined>} */
async function draw(source) {
  const { mermaid } = await import('mermaid')
  const isDark = (root.dataset.theme ?? (dark.matches ? 'dark' : 'light')) === 'dark'
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    suppressErrorRendering: true,
    theme: isDark ? 'dark' : 'neutral',
    htmlLabels: false,
    flowchart: { htmlLabels: false },
    fontFamily: 'ui-sans-serif, system-ui, "Segoe UI", Arial, sans-serif',
    maxTextSize: 50_000,
  })
  // Where it measures text.
  const draft = element('div', { class: 'diagram-draft' })
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
    return new DOMParser().parseFromString(svg, 'text/html').querySelector('svg')
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
  const svg = await draw(block.querySelector('code')?.textContent ?? '')
  if (!svg) return
  const { height, width } = svg.viewBox.baseVal
  svg.setAttribute('width', String(width))
  svg.setAttribute('height', String(height))
  const image = block.querySelector('img') ?? new Image()
  const text = new XMLSerializer().serializeToString(svg)
  Object.assign(image, {
    width: Math.ceil(width),
    height: Math.ceil(height),
    alt: svg.querySelector('title')?.textContent || 'Diagram',
    src: `data:image/svg+xml,${encodeURIComponent(text)}`,
  })
  if (image.isConnected) return
  const summary = element('summary', {}, 'Source of the diagram')
  const details = element('details', { class: 'diagram-source' }, summary, ...block.childNodes)
  const scroller = element('div', { class: 'diagram-image' }, image)
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
      if (isIntersecting && !seen.has(target)) enqueue(target)
      if (isIntersecting) seen.add(target)
    }
  },
  { rootMargin: '50%' },
)
for (const block of document.querySelectorAll('.diagram')) watch.observe(block)

const redraw = () => seen.forEach(enqueue)
dark.addEventListener('change', redraw)
new MutationObserver(redraw).observe(root, { attributeFilter: ['data-theme'] })
