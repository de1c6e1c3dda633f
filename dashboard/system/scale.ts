// From values to places on a plot: round steps for the axes, and the line through what there is.

/** Some four round steps from 0 to at least `most`, of whole numbers if `isWhole`: `[0, 50, 100, 150]`. */
export function stepsTo(most: number, isWhole: boolean): number[] {
  if (most <= 0) return [0, 1]
  const rough = isWhole ? Math.max(1, most / 4) : most / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power
  const count = Math.ceil(most / step - 1e-9)
  return Array.from({ length: count + 1 }, (_, i) => Number((i * step).toPrecision(12)))
}

/** Indices of values that have none beside them: no line goes there. */
export function lonely(values: (number | null)[]): number[] {
  const isThere = (i: number): boolean => typeof values[i] === 'number'
  return values.flatMap((_, i) => (isThere(i) && !isThere(i - 1) && !isThere(i + 1) ? [i] : []))
}

/** The `d` of a path through points; where there is no value the line has a gap. */
export function lineThrough(
  values: (number | null)[],
  x: (index: number) => number,
  y: (value: number) => number,
): string {
  let path = ''
  let isOpen = false
  values.forEach((value, i) => {
    if (value === null) {
      isOpen = false
      return
    }
    const point = `${x(i).toFixed(1)} ${y(value).toFixed(1)}`
    path += isOpen ? `L${point}` : `M${point}`
    isOpen = true
  })
  return path
}

/** Indices of the minutes that get a mark: whole hours or parts of them, some six in all. */
export function marksOf(minutes: string[]): number[] {
  const every = minutes.length > 240 ? 60 : minutes.length > 90 ? 30 : 10
  return minutes.flatMap((minute, i) => (new Date(minute).getMinutes() % every === 0 ? [i] : []))
}
