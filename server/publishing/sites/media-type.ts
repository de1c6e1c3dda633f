// The Content-Type of a published file, determined only by its name. Content is never sniffed: not here and, because
// of `nosniff`, not in browsers.
import mime from 'mime'

const isText = /^text\/|[/+](?:javascript|json|xml)$/

/** The media type of a canonical path, with `charset=utf-8` for text. */
export function mediaTypeOf(path: string): string {
  // The slash keeps a name without a dot, such as `html`, from being treated as an extension.
  const type = mime.getType(`/${path}`) ?? 'application/octet-stream'
  return isText.test(type) ? `${type}; charset=utf-8` : type
}

/** Whether a browser opens it as a document that can run scripts and load resources: HTML, SVG and other XML. */
export function isDocument(mediaType: string): boolean {
  return /^(?:text\/html|[^;]*[/+]xml)\b/.test(mediaType)
}
