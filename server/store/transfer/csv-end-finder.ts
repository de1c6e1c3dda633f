// Where a record of CSV ends: at a line feed outside of quotation marks (RFC 4180). A mark opens only at
// the beginning of a field; elsewhere it is an error of its record, and must not swallow those after it.
import { type EndFinder, LINE_FEED } from './split-lines.ts'

const QUOTE = 0x22
const COMMA = 0x2c
const nowhere = Number.POSITIVE_INFINITY

export class CsvEndFinder implements EndFinder {
  seen = 0
  /** Between an opening mark and the one that closes it. */
  isQuoted = false
  #data: Buffer = Buffer.alloc(0)
  /** The byte before data, of which nothing is kept. */
  #before = LINE_FEED
  /** The next of each at or after the place that was asked for last, so that no byte is passed twice. */
  #nextQuote = -1
  #nextEnd = -1

  find(data: Buffer, from: number): number {
    if (data !== this.#data) {
      this.#data = data
      this.#nextQuote = -1
      this.#nextEnd = -1
    }
    for (let at = from; ; ) {
      const quote = this.#findQuote(at)
      if (this.isQuoted) {
        // Whether it is doubled, only the next byte tells.
        if (quote + 1 >= data.length) return this.#stop(Math.min(quote, data.length))
        if (data[quote + 1] === QUOTE) at = quote + 2
        else {
          this.isQuoted = false
          at = quote + 1
        }
        continue
      }
      const end = this.#findEnd(at)
      if (quote > end || quote === nowhere) {
        return end === nowhere ? this.#stop(data.length) : end
      }
      const before = quote === 0 ? this.#before : data[quote - 1]
      this.isQuoted = before === COMMA || before === LINE_FEED
      at = quote + 1
    }
  }

  drop(count: number): void {
    this.seen -= count
    if (count > 0) this.#before = this.#data[count - 1] as number
  }

  #stop(at: number): number {
    this.seen = at
    return -1
  }

  #findQuote(at: number): number {
    if (this.#nextQuote < at) this.#nextQuote = orNowhere(this.#data.indexOf(QUOTE, at))
    return this.#nextQuote
  }

  #findEnd(at: number): number {
    if (this.#nextEnd < at) this.#nextEnd = orNowhere(this.#data.indexOf(LINE_FEED, at))
    return this.#nextEnd
  }
}

function orNowhere(at: number): number {
  return at < 0 ? nowhere : at
}
