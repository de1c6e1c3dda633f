// Writes values as JSON: whole numbers to the last digit, cut where it would be endless.

const maxCharacters = 50_000

/** Indented by two; `indent: false` for one line. */
export function jsonText(value: unknown, { indent = true } = {}): string {
  const pieces: string[] = []
  let length = 0

  function put(piece: string): void {
    if (length > maxCharacters) return
    length += piece.length
    pieces.push(length > maxCharacters ? '…' : piece)
  }

  function list(open: string, close: string, items: (() => void)[], margin: string): void {
    if (items.length === 0) {
      put(open + close)
      return
    }
    put(open)
    for (const [index, item] of items.entries()) {
      if (length > maxCharacters) return
      put(indent ? `${index === 0 ? '' : ','}\n${margin}  ` : index === 0 ? '' : ',')
      item()
    }
    put(indent ? `\n${margin}${close}` : close)
  }

  function write(item: unknown, margin: string): void {
    if (length > maxCharacters) return
    const deeper = `${margin}  `
    if (Array.isArray(item)) {
      const items = item.map((child) => () => write(child, deeper))
      list('[', ']', items, margin)
    } else if (typeof item === 'object' && item !== null) {
      const items = Object.entries(item).map(([key, child]) => () => {
        put(`${JSON.stringify(key)}:${indent ? ' ' : ''}`)
        write(child, deeper)
      })
      list('{', '}', items, margin)
    } else if (typeof item === 'bigint') put(item.toString())
    else put(JSON.stringify(item) ?? 'null')
  }

  write(value, '')
  return pieces.join('')
}

/** A value as it stands in a sentence: text bare, all else as JSON on one line. */
export function valueText(value: unknown): string {
  return typeof value === 'string' && value !== '' ? value : jsonText(value, { indent: false })
}
