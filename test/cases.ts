// The two tiers: `npm test` has each promise of the product once, and `npm run test:long` has everything. A table of cases
// gives its first rows to the short tier; a file that is long as a whole is named `*.long.test.ts`, and its first lines
// name the short test of the same promise.

export const isLong = process.env.TEST_TIER === 'long'

/** All rows in the long tier; in the short one those that `isShort` accepts, the first one by default. */
export function cases<Row extends unknown[] | [unknown]>(
  table: readonly Row[],
  isShort?: (row: Row, index: number) => boolean,
): readonly Row[]
export function cases<Row>(
  table: readonly Row[],
  isShort?: (row: Row, index: number) => boolean,
): readonly Row[]
export function cases<Row>(
  table: readonly Row[],
  isShort: (row: Row, index: number) => boolean = (_, index) => index === 0,
): readonly Row[] {
  const rows = isLong ? table : table.filter(isShort)
  if (rows.length === 0 && table.length > 0) throw new Error('no row is in the short tier')
  return rows
}

/** The random cases of a property: a tenth of them in the short tier, where each run has another seed. */
export const runs = (count: number): number => (isLong ? count : Math.ceil(count / 10))
