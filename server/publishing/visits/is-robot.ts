// Whether a request comes from a program instead of a person's browser, by what it says itself.

/** Browsers say that they are Mozilla; programs that render pages do, too, but add what they are. */
const browser = /^(?:Mozilla|Opera)\//
const robot =
  /bot|crawl|spider|slurp|headless|lighthouse|preview|monitor|scan|archive|externalhit|embed|feed/i
/** Longer ones are not those of browsers. */
const maxLength = 400
const maxKept = 1000

const kept = new Map<string, boolean>()

/** Remembered for the next request. */
export function isRobot(userAgent: string | undefined): boolean {
  if (userAgent === undefined || userAgent.length > maxLength) return true
  const known = kept.get(userAgent)
  if (known !== undefined) return known
  if (kept.size >= maxKept) kept.clear()
  const found = !browser.test(userAgent) || robot.test(userAgent)
  kept.set(userAgent, found)
  return found
}
