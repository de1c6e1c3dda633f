// @ts-check
// How the scripts of the theme make elements: never from HTML, so that texts stay texts.

/** @param {string} name @param {Record<string, string>} attributes @param {(Node | string)[]} children */
export function element(name, attributes, ...children) {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
  element.append(...children)
  return element
}
