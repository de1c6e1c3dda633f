// Archive formats are detected by their first bytes.

import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { zipBytes } from '../../../test/publishing/zip-bytes.ts'
import { archiveForm } from './read-archive.ts'

it.each([
  ['a ZIP', zipBytes([{ name: 'a' }]), 'zip'],
  ['a ZIP without entries', zipBytes([]), 'zip'],
  ['a gzip', gzipSync('x'), 'tar.gz'],
  ['nothing', Buffer.alloc(0), undefined],
  ['one byte', Buffer.from([0x1f]), undefined],
  ['a page', Buffer.from('<!doctype html>'), undefined],
  ['the second part of a ZIP', Buffer.from('PK\x07\x08'), undefined],
  ['a gzip with an unknown method', Buffer.from([0x1f, 0x8b, 7]), undefined],
  ['7z', Buffer.from('7z\xbc\xaf', 'latin1'), undefined],
])('%s', (_, bytes, form) => {
  expect(archiveForm(bytes.subarray(0, 4))).toBe(form)
})
