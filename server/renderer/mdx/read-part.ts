// Finds what a source imports: within the deployed folder, by a path from its own folder or from a root above it.
import { posix } from 'node:path'
import { decodeSource } from '../sources/source-text.ts'

/** The text without front matter, and the path of an imported source; undefined if there is none. */
export type ReadPart = (path: string, from: string) => { text: string; source: string } | undefined

const frontMatter = /^---[ \t]*\n(?:[\s\S]*?\n)?---[ \t]*(?:\n|$)/

export function createPartReader(sources: ReadonlyMap<string, Uint8Array>): ReadPart {
  return (path, from) => {
    const file = path.replace(/^!!raw-loader!/, '').replace(/\?raw$/, '')
    const folder = posix.dirname(from)
    const root = /^(?:@site|~|@)?\/(.*)$/s.exec(file)?.[1]
    // A root is the folder of a site, which may be anywhere above the source.
    const steps = folder === '.' ? [] : folder.split('/')
    const roots = [...steps.map((_, depth) => steps.slice(0, steps.length - depth).join('/')), '.']
    const candidates = (root === undefined ? [folder] : roots).map((base) =>
      posix.join(base, root ?? file),
    )
    const source = candidates.find((candidate) => sources.has(candidate))
    const bytes = source === undefined ? undefined : sources.get(source)
    if (source === undefined || !bytes) return undefined
    return { source, text: decodeSource(bytes, source).replace(frontMatter, '') }
  }
}
