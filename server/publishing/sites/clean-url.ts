// Clean URLs: each file has one address, without `.html` and `index.html`; its other addresses redirect to it.
// Invariant: the target of a redirect is served, never redirected again.

type CleanUrl =
  | { kind: 'file'; path: string }
  /** The path to redirect to. */
  | { kind: 'moved'; to: string }

type IsThere = (file: string) => boolean

/** The files that are relevant for a requested path: all that `cleanUrl` looks up. At most four. */
export function candidatesFor(path: string): string[] {
  const name = path.replace(/\/$/, '')
  return name.endsWith('.html') ? [...filesFor(path), withoutHtml(name)] : filesFor(path)
}

/** The existing file for a requested path; undefined if there is none. */
export function cleanUrl(path: string, isThere: IsThere): CleanUrl | undefined {
  const file = filesFor(path).find(isThere)
  if (file === undefined) return undefined
  const clean = cleanPathOf(file, isThere)
  return clean === path ? { kind: 'file', path: file } : { kind: 'moved', to: clean }
}

/** In order of preference. */
function filesFor(path: string): string[] {
  if (path === '') return ['index.html']
  if (!path.endsWith('/')) return [path, `${path}.html`, `${path}/index.html`]
  const name = path.slice(0, -1)
  return [`${path}index.html`, name, `${name}.html`]
}

function cleanPathOf(file: string, isThere: IsThere): string {
  const slash = file.lastIndexOf('/') + 1
  if (file.slice(slash) === 'index.html') return file.slice(0, slash)
  const clean = withoutHtml(file)
  // The short address may belong to another file, and an address cannot end in an empty name.
  const canBeShort = file.endsWith('.html') && clean.length > slash && !isThere(clean)
  return canBeShort ? clean : file
}

function withoutHtml(path: string): string {
  return path.slice(0, -'.html'.length)
}
