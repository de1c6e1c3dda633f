// QR codes (ISO/IEC 18004): bytes, error correction M, versions 1 to 15, the mask with the lowest penalty.

/** By version: error correction codewords of a block, and blocks. */
const blocksOf: readonly (readonly [corrections: number, blocks: number])[] = [
  ...([
    [10, 1],
    [16, 1],
    [26, 1],
    [18, 2],
    [24, 2],
  ] as const),
  ...([
    [16, 4],
    [18, 4],
    [22, 4],
    [22, 5],
    [26, 5],
  ] as const),
  ...([
    [30, 5],
    [22, 8],
    [22, 9],
    [24, 9],
    [24, 10],
  ] as const),
]

type Modules = boolean[][]

/** The rows of modules, true for dark ones, without the quiet zone. Undefined for a text that is too long. */
export function qrCode(text: string): Modules | undefined {
  const bytes = new TextEncoder().encode(text)
  for (const [i, [corrections, blocks]] of blocksOf.entries()) {
    const version = i + 1
    const total = Math.floor(rawModules(version) / 8)
    const capacity = total - corrections * blocks
    if (bytes.length + (version < 10 ? 2 : 3) > capacity) continue
    const data = withPadding(bytes, version, capacity)
    return draw(version, interleaved(data, corrections, blocks))
  }
  return undefined
}

const sizeOf = (version: number): number => 17 + 4 * version

/** Modules for data and error correction. */
function rawModules(version: number): number {
  let count = (16 * version + 128) * version + 64
  if (version >= 2) {
    const aligned = Math.floor(version / 7) + 2
    count -= (25 * aligned - 10) * aligned - 55
    if (version >= 7) count -= 36
  }
  return count
}

/** The codewords of the data: mode, length, bytes, terminator, padding. */
function withPadding(bytes: Uint8Array, version: number, capacity: number): number[] {
  const bits: number[] = []
  const add = (value: number, length: number): void => {
    for (let at = length - 1; at >= 0; at--) bits.push((value >> at) & 1)
  }
  add(0b0100, 4)
  add(bytes.length, version < 10 ? 8 : 16)
  for (const byte of bytes) add(byte, 8)
  add(0, Math.min(4, capacity * 8 - bits.length))
  while (bits.length % 8 !== 0) bits.push(0)
  const words: number[] = []
  for (let at = 0; at < bits.length; at += 8) {
    words.push(bits.slice(at, at + 8).reduce((word, bit) => word * 2 + bit, 0))
  }
  for (let pad = 0xec; words.length < capacity; pad ^= 0xec ^ 0x11) words.push(pad)
  return words
}

/** Data in blocks, each with its error correction, in the order in which they are drawn. */
function interleaved(data: number[], corrections: number, count: number): number[] {
  const short = Math.floor(data.length / count)
  const longFrom = count - (data.length % count)
  const divisor = generator(corrections)
  const blocks: number[][] = []
  const checks: number[][] = []
  for (let i = 0, at = 0; i < count; i++) {
    const block = data.slice(at, at + short + (i >= longFrom ? 1 : 0))
    at += block.length
    blocks.push(block)
    checks.push(remainder(block, divisor))
  }
  const columns = (rows: number[][], length: number): number[] =>
    Array.from({ length }, (_, at) => rows.flatMap((row) => row[at] ?? [])).flat()
  return [...columns(blocks, short + 1), ...columns(checks, corrections)]
}

/** In GF(2^8) modulo x^8 + x^4 + x^3 + x^2 + 1. */
function times(a: number, b: number): number {
  let product = 0
  for (let at = 7; at >= 0; at--) {
    product = (product << 1) ^ ((product >> 7) * 0x11d)
    product ^= ((b >> at) & 1) * a
  }
  return product
}

/** The Reed–Solomon generator polynomial, without its leading 1. */
function generator(degree: number): number[] {
  let polynomial: number[] = [...Array<number>(degree - 1).fill(0), 1]
  for (let i = 0, root = 1; i < degree; i++, root = times(root, 2)) {
    polynomial = polynomial.map((value, at) => times(value, root) ^ (polynomial[at + 1] ?? 0))
  }
  return polynomial
}

function remainder(data: readonly number[], divisor: readonly number[]): number[] {
  let rest = divisor.map(() => 0)
  for (const word of data) {
    const factor = word ^ (rest[0] ?? 0)
    rest = divisor.map((value, at) => (rest[at + 1] ?? 0) ^ times(value, factor))
  }
  return rest
}

function draw(version: number, words: readonly number[]): Modules {
  const size = sizeOf(version)
  const fixed = drawPatterns(version)
  const masked = masks.map((mask, number) => {
    const modules = fixed.map((row) => row.map((module) => module ?? false))
    drawFormat(modules, number)
    let bit = 0
    for (const [x, y] of zigzag(size)) {
      if (fixed[y]?.[x] !== undefined) continue
      const isDark = (((words[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1) === 1
      ;(modules[y] as boolean[])[x] = isDark !== mask(x, y)
      bit++
    }
    return modules
  })
  const penalties = masked.map(penaltyOf)
  return masked[penalties.indexOf(Math.min(...penalties))] as Modules
}

const masks: ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
]

/** The places of the data: columns in pairs from the right, up and down in turn. */
function* zigzag(size: number): Generator<[x: number, y: number]> {
  for (let right = size - 1, up = true; right >= 1; right -= 2, up = !up) {
    if (right === 6) right = 5
    for (let i = 0; i < size; i++) {
      const y = up ? size - 1 - i : i
      yield [right, y]
      yield [right - 1, y]
    }
  }
}

/** What does not depend on the data; undefined where data goes. The format is reserved as light. */
function drawPatterns(version: number): (boolean | undefined)[][] {
  const size = sizeOf(version)
  const modules = Array.from({ length: size }, () =>
    Array<boolean | undefined>(size).fill(undefined),
  )
  const set = (x: number, y: number, isDark: boolean): void => {
    const row = modules[y]
    if (row && x >= 0 && x < size) row[x] = isDark
  }
  for (let i = 0; i < size; i++) {
    set(6, i, i % 2 === 0)
    set(i, 6, i % 2 === 0)
  }
  const last = size - 1
  const places = alignments(version)
  for (const [i, x] of places.entries()) {
    for (const [j, y] of places.entries()) {
      const end = places.length - 1
      const isFinder = (i === 0 && (j === 0 || j === end)) || (i === end && j === 0)
      if (!isFinder) square(set, x, y, 2, (ring) => ring !== 1)
    }
  }
  for (const [x, y] of [
    [3, 3],
    [last - 3, 3],
    [3, last - 3],
  ] as const) {
    square(set, x, y, 4, (ring) => ring !== 2 && ring !== 4)
  }
  for (const [x, y] of formatPlaces(size).flat()) set(x, y, false)
  set(8, size - 8, true)
  if (version >= 7) {
    const bits = (version << 12) | bch(version, 0x1f25, 12)
    for (let i = 0; i < 18; i++) {
      const isDark = ((bits >> i) & 1) === 1
      const [a, b] = [size - 11 + (i % 3), Math.floor(i / 3)]
      set(a, b, isDark)
      set(b, a, isDark)
    }
  }
  return modules
}

type Set = (x: number, y: number, isDark: boolean) => void

/** Square rings around a centre, out to `radius`. */
function square(
  set: Set,
  centreX: number,
  centreY: number,
  radius: number,
  isDark: (ring: number) => boolean,
): void {
  for (let dy = -radius; dy <= radius; dy++) {
    for (let dx = -radius; dx <= radius; dx++) {
      set(centreX + dx, centreY + dy, isDark(Math.max(Math.abs(dx), Math.abs(dy))))
    }
  }
}

function alignments(version: number): number[] {
  if (version === 1) return []
  const count = Math.floor(version / 7) + 2
  const step = Math.floor((version * 8 + count * 3 + 5) / (count * 4 - 4)) * 2
  const last = sizeOf(version) - 7
  return [6, ...Array.from({ length: count - 1 }, (_, i) => last - (count - 2 - i) * step)]
}

/** The two copies of the format, from its lowest bit. */
function formatPlaces(size: number): [x: number, y: number][][] {
  const first = Array.from({ length: 15 }, (_, i): [number, number] => {
    if (i < 6) return [8, i]
    if (i < 8) return [8, i + 1]
    return i === 8 ? [7, 8] : [14 - i, 8]
  })
  const second = Array.from({ length: 15 }, (_, i): [number, number] =>
    i < 8 ? [size - 1 - i, 8] : [8, size - 15 + i],
  )
  return [first, second]
}

/** Error correction M has the bits 00. */
function drawFormat(modules: Modules, mask: number): void {
  const bits = ((mask << 10) | bch(mask, 0x537, 10)) ^ 0x5412
  for (const copy of formatPlaces(modules.length)) {
    for (const [i, [x, y]] of copy.entries()) {
      ;(modules[y] as boolean[])[x] = ((bits >> i) & 1) === 1
    }
  }
}

/** The remainder of `value` as a polynomial over GF(2), shifted by `degree`. */
function bch(value: number, polynomial: number, degree: number): number {
  let rest = value
  for (let i = 0; i < degree; i++) rest = (rest << 1) ^ ((rest >> (degree - 1)) * polynomial)
  return rest & ((1 << degree) - 1)
}

/** Runs, blocks, patterns like finders, and the balance of dark and light. */
function penaltyOf(modules: Modules): number {
  const size = modules.length
  const columns = modules.map((_, x) => modules.map((row) => row[x] as boolean))
  let penalty = 0
  for (const line of [...modules, ...columns]) {
    const text = line.map((isDark) => (isDark ? '1' : '0')).join('')
    for (const run of text.match(/0{5,}|1{5,}/g) ?? []) penalty += run.length - 2
    for (const pattern of [/(?=10111010000)/g, /(?=00001011101)/g]) {
      penalty += 40 * (text.match(pattern)?.length ?? 0)
    }
  }
  for (let y = 1; y < size; y++) {
    for (let x = 1; x < size; x++) {
      const own = modules[y]?.[x]
      const others = [modules[y]?.[x - 1], modules[y - 1]?.[x], modules[y - 1]?.[x - 1]]
      if (others.every((other) => other === own)) penalty += 3
    }
  }
  const dark = modules.flat().filter(Boolean).length
  return penalty + 10 * Math.floor(Math.abs((dark * 20) / size ** 2 - 10))
}
