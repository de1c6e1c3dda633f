import jsQR from 'jsqr'
import { describe, expect, it } from 'vitest'
import { qrCode } from './qr-code.ts'

/** What a camera reads: four pixels for each module, and a quiet zone of four modules. */
function read(modules: boolean[][]): string | undefined {
  const size = (modules.length + 8) * 4
  const pixels = new Uint8ClampedArray(size * size * 4).fill(255)
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      if (modules[Math.floor(y / 4) - 4]?.[Math.floor(x / 4) - 4])
        pixels.fill(0, (y * size + x) * 4, (y * size + x) * 4 + 3)
    }
  }
  return jsQR(pixels, size, size)?.data
}

describe('QR codes', () => {
  it('can be read at every length', () => {
    for (let length = 1; length <= 412; length += 13) {
      const text = Array.from({ length }, (_, i) => String.fromCharCode(33 + ((i * 7) % 90))).join(
        '',
      )
      const modules = qrCode(text)
      expect([length, modules && read(modules)]).toEqual([length, text])
    }
  })

  it('are as small as possible, and end at version 15', () => {
    expect(qrCode('x'.repeat(14))).toHaveLength(21)
    expect(qrCode('x'.repeat(15))).toHaveLength(25)
    expect(qrCode('x'.repeat(412))).toHaveLength(77)
    expect(qrCode('x'.repeat(413))).toBeUndefined()
  })
})
