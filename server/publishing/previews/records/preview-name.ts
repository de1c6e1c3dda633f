// Names of previews, and their hosts: `<name>--<slug>` is one label below the platform host, so that a certificate for
// *.<platform host> covers it. A name has no two hyphens in a row, which makes the first two the separator.

/** Authorities refuse labels whose third and fourth characters are hyphens (RFC 5890, section 2.3.1). */
export const minPreviewNameLength = 3
export const maxPreviewNameLength = 40
export const previewNamePattern = '^[a-z0-9](-?[a-z0-9])*$'
const nameForm = new RegExp(previewNamePattern)
const maxLabelLength = 63
const previewSeparator = '--'

export function isPreviewName(text: string): boolean {
  return (
    text.length >= minPreviewNameLength &&
    text.length <= maxPreviewNameLength &&
    nameForm.test(text)
  )
}

/** The label of a preview's host below the platform host. */
export function previewLabel(name: string, slug: string): string {
  return `${name}${previewSeparator}${slug}`
}

/** Why a project with this slug cannot have the preview; undefined if it can. */
export function findLabelProblem(name: string, slug: string): string | undefined {
  const excess = previewLabel(name, slug).length - maxLabelLength
  if (excess <= 0) return undefined
  return `is ${excess} too long for the address ${previewLabel(name, slug)}, which may have ${maxLabelLength} characters`
}

/** The preview and the slug that a label stands for; undefined if it is no preview's. */
export function readPreviewLabel(label: string): { name: string; slug: string } | undefined {
  const at = label.indexOf(previewSeparator)
  const name = label.slice(0, Math.max(at, 0))
  return isPreviewName(name) ? { name, slug: label.slice(at + previewSeparator.length) } : undefined
}
