// Gives the pages of the reference their paths: readable, and no two the same.
import { kebabCase } from './plain-text.ts'

export interface PageNames {
  /** Path of the next page, named after `text`. */
  next(text: string): string
}

/** `taken` are names without folder and extension. */
export function createPageNames(folder: string, taken: string[]): PageNames {
  const used = new Set(taken)
  const counts = new Map<string, number>()
  return {
    next(text) {
      const base = kebabCase(text) || 'unnamed'
      let name = base
      let count = counts.get(base) ?? 1
      while (used.has(name)) {
        count += 1
        name = `${base}-${count}`
      }
      counts.set(base, count)
      used.add(name)
      return `${folder}${name}.html`
    },
  }
}
