/** The environment of a process whose clock is ahead by `byMs`, or behind. */
export function shiftedClock(byMs: number): Record<string, string> {
  const script = `const real = Date.now; Date.now = () => real() + ${byMs}`
  return { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(script)}` }
}
