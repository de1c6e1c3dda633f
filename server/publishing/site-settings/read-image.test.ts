import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../test/cases.ts'
import { pngOf } from '../../../test/publishing/png-of.ts'
import { readImage } from './read-image.ts'

const chunks = (...parts: (string | number[])[]) =>
  Buffer.concat(
    parts.map((part) =>
      typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part),
    ),
  )
const png = pngOf(12, 7)
const webp = (chunk: Buffer) => {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(chunk.length + 4)
  return Buffer.concat([Buffer.from('RIFF'), length, Buffer.from('WEBP'), chunk])
}
/** 12 × 7 pixels each, encoded by Chromium. */
const lossy = webp(
  Buffer.from('VlA4ICQAAABwAQCdASoMAAcABABoJaACdAGIQAD+7U2ibsvf4u7EcZJAAAA=', 'base64'),
)
const lossless = webp(Buffer.from('VlA4TBEAAAAvC4ABAAfQj+qVq/+BiOh/AAA=', 'base64'))
const extended = webp(
  chunks('VP8X', [10, 0, 0, 0, 0, 0, 0, 0, 11, 0, 0, 6, 0, 0], 'VP8L', [1, 0, 0, 0, 0x2f, 0]),
)
const jpeg = chunks(
  [0xff, 0xd8, 0xff, 0xe0, 0, 16],
  'JFIF\0\x01\x01\0\0\x01\0\x01\0\0',
  // A table of the kind whose marker is among those of frames.
  [0xff, 0xc4, 0, 4, 0, 0],
  [0xff, 0xc0, 0, 11, 8, 0, 7, 0, 12, 1, 1, 0x11, 0, 0xff, 0xda],
)
const icon = (...sizes: number[]) =>
  Buffer.concat([
    chunks([0, 0, 1, 0, sizes.length, 0]),
    ...sizes.map((size) =>
      chunks([size, size, 0, 0, 1, 0, 32, 0, 1, 0, 0, 0, 6 + 16 * sizes.length, 0, 0, 0]),
    ),
    Buffer.from([1]),
  ])
const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>'

test.each([
  ['png', png, 12, 7],
  ['webp', lossy, 12, 7],
  ['webp', lossless, 12, 7],
  ['webp', extended, 12, 7],
  ['jpg', jpeg, 12, 7],
  ['ico', icon(16, 48, 32), 48, 48],
  ['ico', icon(0), 256, 256],
  ['svg', Buffer.from(svg), null, null],
  [
    'svg',
    Buffer.from(
      `\ufeff<?xml version="1.0"?>\n<!-- > <svg -->\n<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x">\n${svg}\n`,
    ),
    null,
    null,
  ],
])('reads %s', (type, bytes, width, height) => {
  expect(readImage(bytes)).toEqual({ type, width, height })
})

test.each([
  ['nothing', ''],
  ['a page', '<!doctype html><svg xmlns="http://www.w3.org/2000/svg"></svg>'],
  ['an SVG in a page', `<p>${svg}</p>`],
  ['an SVG that browsers do not show', '<svg viewBox="0 0 1 1"/>'],
  ['an SVG with entities', `<!DOCTYPE svg [<!ENTITY a "b">]>${svg}`],
  ['an SVG in another encoding', Buffer.from(svg, 'utf16le')],
  ['an SVG that is cut off', svg.slice(0, -1)],
  ['a PNG that is cut off', png.subarray(0, -12)],
  ['a WebP that is cut off', lossy.subarray(0, -2)],
  ['a JPEG without a frame', chunks([0xff, 0xd8, 0xff, 0xda, 0, 2, 0, 0, 0, 0, 0, 0])],
  ['an icon beyond its file', icon(16, 32).subarray(0, -1)],
  ['a GIF', 'GIF89a\x01\0\x01\0\0\0\0;'],
])('refuses %s', (_, content) => {
  expect(readImage(Buffer.from(content as string, 'latin1'))).toBeUndefined()
})

test('reads any bytes, also damaged images, without an error', () => {
  const images = [png, lossy, lossless, extended, jpeg, icon(16, 32), Buffer.from(svg)]
  const damaged = fc
    .tuple(fc.constantFrom(...images), fc.nat(), fc.nat(255), fc.nat())
    .map(([image, at, byte, length]) => {
      const copy = Buffer.from(image)
      copy[at % copy.length] = byte
      return copy.subarray(0, length % (copy.length + 1))
    })
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 64 }), damaged), (bytes) => {
      const image = readImage(bytes)
      expect(image === undefined || typeof image.type === 'string').toBe(true)
    }),
    { numRuns: runs(2000) },
  )
})
