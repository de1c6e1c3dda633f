// @ts-check
// Draws the diagrams of the page with Mermaid. Mermaid writes style elements into
// its drawings, which the policy of the page forbids; in an image they are allowed, so a drawing is shown as one. It also
// follows the colour scheme. Without this script, and for what Mermaid cannot draw, the source is shown.
import { element } from './element.js'

const root = document.documentElement
const dark = matchMedia('(prefers-color-scheme: dark)')

/**
 * What Mermaid writes as style elements and attributes has no effect here, but it measures text with it: scripts may set the
 * same styles. What is no style becomes empty, so that it is set once.
 * @param {Element} draft @param {CSSStyleSheet} sheet
 */
function applyStyles(draft, sheet) {
  /** @type {NodeListOf<HTMLElement>} */
  const parts = draft.querySelectorAll('style, [style]:not([style=""])')
  for (const part of parts) {
    if (part.localName === 'style') sheet.replaceSync(part.textContent)
    else if (part.style.cssText === '') part.style.cssText = part.getAttribute('style') ?? ''
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
  const observer = new MutationObserver(() => applyStyles(draft, style))
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
function drawAll() {
  for (const block of document.querySelectorAll('.diagram'))
    queue = queue.then(() => show(block)).catch(() => {})
}

drawAll()
dark.addEventListener('change', drawAll)
new MutationObserver(drawAll).observe(root, { attributeFilter: ['data-theme'] })
