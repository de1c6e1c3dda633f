// Recognizes an image by its content: what its name or its sender says does not count.
import type { ImageType } from './records/schema.ts'

export interface ReadImage {
  type: ImageType
  /** In pixels, of the largest form of an icon; null for SVG, which has any size. */
  width: number | null
  height: number | null
}

/** Undefined for what is none of the known formats, or is cut off. */
export function readImage(bytes: Uint8Array): ReadImage | undefined {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (const read of [readPng, readJpeg, readWebp, readIco, readSvg]) {
    const image = read(view)
    if (image) return image
  }
  return undefined
}

const pngStart = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

/** PNG (ISO/IEC 15948): chunks from IHDR to IEND. */
function readPng(file: Buffer): ReadImage | undefined {
  if (!file.subarray(0, 8).equals(pngStart) || typeAt(file, 12) !== 'IHDR') return undefined
  for (let at = 8; at + 12 <= file.length; at += 12 + file.readUInt32BE(at)) {
    if (typeAt(file, at + 4) !== 'IEND') continue
    return { type: 'png', width: file.readUInt32BE(16), height: file.readUInt32BE(20) }
  }
  return undefined
}

/** JPEG (ITU-T T.81, annex B): segments up to the header of the frame. */
function readJpeg(file: Buffer): ReadImage | undefined {
  if (file.length < 4 || file.readUInt16BE(0) !== 0xffd8) return undefined
  for (let at = 2; at + 9 <= file.length; at += 2 + file.readUInt16BE(at + 2)) {
    const marker = file.readUInt16BE(at)
    const isFrame = marker >= 0xffc0 && marker <= 0xffcf && ![4, 8, 12].includes(marker & 0xf)
    if (isFrame)
      return { type: 'jpg', width: file.readUInt16BE(at + 7), height: file.readUInt16BE(at + 5) }
    // The scan begins, or it is no marker.
    if (marker === 0xffda || marker < 0xffc0 || file.readUInt16BE(at + 2) < 2) return undefined
  }
  return undefined
}

/** WebP (RFC 9649): the first chunk has the size, in each of the three formats. */
function readWebp(file: Buffer): ReadImage | undefined {
  if (file.length < 30 || typeAt(file, 0) !== 'RIFF' || typeAt(file, 8) !== 'WEBP') return undefined
  if (file.readUInt32LE(4) + 8 > file.length) return undefined
  const size = (width: number, height: number): ReadImage => ({ type: 'webp', width, height })
  switch (typeAt(file, 12)) {
    case 'VP8 ':
      return size(file.readUInt16LE(26) & 0x3fff, file.readUInt16LE(28) & 0x3fff)
    case 'VP8L': {
      const bits = file.readUInt32LE(21)
      return size((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1)
    }
    case 'VP8X':
      return size(file.readUIntLE(24, 3) + 1, file.readUIntLE(27, 3) + 1)
    default:
      return undefined
  }
}

const maxIcons = 64

/** ICO: a directory of icons, each of them in the file. */
function readIco(file: Buffer): ReadImage | undefined {
  if (file.length < 22 || file.readUInt32BE(0) !== 0x00000100) return undefined
  const count = file.readUInt16LE(4)
  if (count < 1 || count > maxIcons || 6 + 16 * count > file.length) return undefined
  const sizes: { width: number; height: number }[] = []
  for (let at = 6; at < 6 + 16 * count; at += 16) {
    const [length, start] = [file.readUInt32LE(at + 8), file.readUInt32LE(at + 12)]
    if (start < 6 + 16 * count || length < 1 || start + length > file.length) return undefined
    // 0 stands for 256.
    sizes.push({ width: file[at] || 256, height: file[at + 1] || 256 })
  }
  const [largest] = sizes.sort((a, b) => b.width - a.width)
  return largest && { type: 'ico', ...largest }
}

/** Before the root: a declaration, comments, and a document type without entities of its own. */
const beforeRoot = [/\s+/y, /<\?[^>]*\?>/y, /<!--[\s\S]*?-->/y, /<!DOCTYPE\s+svg\b[^>[]*>/iy]
const root = /<svg\s[^>]*?xmlns\s*=\s*["']http:\/\/www\.w3\.org\/2000\/svg["'][^>]*>/y

/** SVG in UTF-8: its root, in the namespace without which browsers show nothing. */
function readSvg(file: Buffer): ReadImage | undefined {
  const text = decode(file)
  if (text === undefined || !text.trimEnd().endsWith('>')) return undefined
  let at = 0
  for (let isFound = true; isFound; ) {
    isFound = beforeRoot.some((token) => {
      token.lastIndex = at
      if (!token.test(text)) return false
      at = token.lastIndex
      return true
    })
  }
  root.lastIndex = at
  return root.test(text) ? { type: 'svg', width: null, height: null } : undefined
}

function decode(file: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(file)
  } catch {
    return undefined
  }
}

function typeAt(file: Buffer, at: number): string {
  return file.toString('latin1', at, at + 4)
}
