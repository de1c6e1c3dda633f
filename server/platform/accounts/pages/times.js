// @ts-check
// Times as people read them, in their own time zone.
import { element } from './elements.js'

const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short' })

/** @param {string} text RFC 3339. */
export function timeElement(text) {
  return element('time', { datetime: text }, format.format(new Date(text)))
}
