// Clean URLs: each file has one address, without `.html` and `index.html`; its others lead there.
// Invariant: what is led to is served there, never led on.

export type CleanUrl =
  | { kind: 'file'; path: string }
  /** The path to ask for instead. */
  | { kind: 'moved'; to: string }

type IsThere = (file: string) => boolean

/** The files that could have to do with a requested path: all that `cleanUrl` asks after. At most four. */
export function candidatesFor(path: string): string[] {
  if (path === '') return ['index.html']
  const name = path.endsWith('/') ? path.slice(0, -1) : path
  const candidates = [name, `${name}.html`, `${name}/index.html`]
  return name.endsWith('.html') ? [...candidates, withoutHtml(name)] : candidates
}

/** Which file a requested path means, of those that are there; undefined when none. */
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
  // Where a file of the shorter name is, that is served; and no address ends in an empty name.
  const canBeShort = file.endsWith('.html') && clean.length > slash && !isThere(clean)
  return canBeShort ? clean : file
}

function withoutHtml(path: string): string {
  return path.slice(0, -'.html'.length)
}
