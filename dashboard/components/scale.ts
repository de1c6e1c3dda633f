// The geometry of a plot: steps of the axes, and paths through values.

/** About four round steps from 0 to at least `max`; whole numbers if `isWhole`: `[0, 50, 100, 150]`. */
export function stepsTo(max: number, isWhole: boolean): number[] {
  if (max <= 0) return [0, 1]
  const rough = isWhole ? Math.max(1, max / 4) : max / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power
  const count = Math.ceil(max / step - 1e-9)
  return Array.from({ length: count + 1 }, (_, i) => Number((i * step).toPrecision(12)))
}

/** Indices of values without a neighbor, which no line reaches. */
export function findIsolated(values: (number | null)[]): number[] {
  const isThere = (i: number): boolean => typeof values[i] === 'number'
  return values.flatMap((_, i) => (isThere(i) && !isThere(i - 1) && !isThere(i + 1) ? [i] : []))
}

/** The `d` of a path through the values, with a gap where there is none. */
export function lineThrough(
  values: (number | null)[],
  x: (index: number) => number,
  y: (value: number) => number,
): string {
  return values
    .map((value, i) => {
      if (value === null) return ''
      const command = typeof values[i - 1] === 'number' ? 'L' : 'M'
      return `${command}${x(i).toFixed(1)} ${y(value).toFixed(1)}`
    })
    .join('')
}

/** Indices of the minutes with a label: about six, at whole hours or parts of them. */
export function findLabels(minutes: string[]): number[] {
  const every = minutes.length > 240 ? 60 : minutes.length > 90 ? 30 : 10
  return minutes.flatMap((minute, i) => (new Date(minute).getMinutes() % every === 0 ? [i] : []))
}
