// The Content-Type of a published file, from its name alone: nothing is guessed from bytes, here or,
// by `nosniff`, in a browser.
import mime from 'mime'

const isText = /^text\/|[/+](?:javascript|json|xml)$/

/** The media type of a canonical path; with `charset=utf-8` where it is text. */
export function mediaTypeOf(path: string): string {
  // A bare name without a dot would be taken for an extension: a file called `html` is none.
  const type = mime.getType(`/${path}`) ?? 'application/octet-stream'
  return isText.test(type) ? `${type}; charset=utf-8` : type
}

/** Whether a browser opens it as a document that may run scripts and load what it likes. */
export function isHtml(mediaType: string): boolean {
  return /^(?:text\/html|application\/xhtml\+xml)\b/.test(mediaType)
}
