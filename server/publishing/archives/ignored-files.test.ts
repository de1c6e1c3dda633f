// Files that a site ignores.

import { expect, it } from 'vitest'
import { isIgnoredFile } from './entry-checker.ts'

it.each([
  ['__MACOSX/._index.html', true],
  ['a/.DS_Store', true],
  ['Thumbs.db', true],
  ['a/Desktop.ini', true],
  ['.git/config', true],
  ['site/.git', true],
  ['.env', true],
  ['a/.env.production', true],
  ['.htpasswd', true],
  ['.ssh/known_hosts', true],
  ['a/id_ed25519', true],
  ['._style.css', true],
  ['.well-known/security.txt', false],
  ['.nojekyll', false],
  ['.github/a.md', false],
  ['git/index.html', false],
  ['environment.env', false],
  ['.environment', false],
  ['id_rsa.html', false],
])('%s: %s', (path, isLeftOut) => {
  expect(isIgnoredFile(path)).toBe(isLeftOut)
})
