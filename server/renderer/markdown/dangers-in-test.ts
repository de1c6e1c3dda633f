// For tests: what of a page's content could be executed.
import { Parser } from 'htmlparser2'
import { icon } from './html.ts'

interface Element {
  name: string
  attributes: Record<string, string>
}

function elementsOf(html: string): Element[] {
  const elements: Element[] = []
  const parser = new Parser({
    onopentag: (name, attributes) => elements.push({ name, attributes: { ...attributes } }),
    oncomment: () => elements.push({ name: '#comment', attributes: {} }),
    onprocessinginstruction: (name) => elements.push({ name, attributes: {} }),
  })
  parser.end(html)
  return elements
}

const forbidden = new Set([
  ...'script style iframe frame frameset object embed applet form input button select textarea'.split(
    ' ',
  ),
  ...'meta base link title svg math template noscript xmp plaintext html head body marquee'.split(
    ' ',
  ),
  ...'dialog portal slot isindex bgsound layer keygen option #comment foreignobject animate h1'.split(
    ' ',
  ),
])

/** What of the HTML could run, load a document, or take the theme's names. */
export function dangers(html: string): string[] {
  return elementsOf(html.replaceAll(icon('note').text, '')).flatMap(({ name, attributes }) => {
    const found = Object.entries(attributes).filter(([key, value]) => {
      if (/^on|^style$|^srcdoc$|^formaction$|^name$|^target$|^popover|^is$|^data-/.test(key))
        return true
      if (key === 'id') return value.includes(':')
      if (!['href', 'src', 'srcset', 'poster', 'cite', 'action', 'background'].includes(key))
        return false
      // As browsers read it: without what they skip.
      const address = [...value].filter((character) => character > ' ').join('')
      const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(address)?.[1]?.toLowerCase()
      return scheme !== undefined && !['http', 'https', 'mailto', 'tel'].includes(scheme)
    })
    return [
      ...(forbidden.has(name) || !/^[a-z][a-z0-9]*$/.test(name) ? [name] : []),
      ...found.map(([key, value]) => `${name} ${key}=${value}`),
    ]
  })
}
