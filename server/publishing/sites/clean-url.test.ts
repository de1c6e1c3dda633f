import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runs } from '../../../test/cases.ts'
import { candidatesFor, cleanUrl } from './clean-url.ts'

// Names to which several rules apply: pages, folders, both, and `.html` in unusual places.
const names = ['a', 'a.html', 'index', 'index.html', 'a.html.html', '.html', 'index.html.html', 'b']
const tree = names.flatMap((name) => [name, `a/${name}`, `a.html/${name}`, `index/${name}`])
const segments = fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 3 })
const path = segments.chain((parts) => fc.constantFrom(parts.join('/'), `${parts.join('/')}/`, ''))

it('looks up only its candidates, at most four', () => {
  fc.assert(
    fc.property(path, fc.subarray(tree), (asked, files) => {
      const candidates = candidatesFor(asked)
      expect(candidates.length).toBeLessThanOrEqual(4)
      const known = files.filter((file) => candidates.includes(file))
      expect(cleanUrl(asked, (file) => known.includes(file))).toEqual(
        cleanUrl(asked, (file) => files.includes(file)),
      )
    }),
    { numRuns: runs(2000) },
  )
})

it('redirects only to addresses that are served', () => {
  fc.assert(
    fc.property(path, fc.subarray(tree), (asked, files) => {
      const isThere = (file: string): boolean => files.includes(file)
      const found = cleanUrl(asked, isThere)
      if (found?.kind !== 'moved') return
      expect(found.to).not.toBe(asked)
      expect(cleanUrl(found.to, isThere)?.kind).toBe('file')
    }),
    { numRuns: runs(2000) },
  )
})

it('serves each file at exactly one address', () => {
  fc.assert(
    fc.property(fc.subarray(tree), (files) => {
      const isThere = (file: string): boolean => files.includes(file)
      const addresses = tree.flatMap((file) => [
        file,
        `${file}/`,
        file.replace(/\.html$/, ''),
        file.replace(/index\.html$/, ''),
      ])
      const served = [...new Set(addresses)]
        .map((address) => cleanUrl(address, isThere))
        .filter((found) => found?.kind === 'file')
        .map((found) => (found as { path: string }).path)
      expect(served.toSorted()).toEqual(files.toSorted())
    }),
    { numRuns: runs(500) },
  )
})
