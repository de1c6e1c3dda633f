// What is wrong with a configuration that is being typed, in the order of its places. The server decides; this
// only says so earlier.
const statuses = [301, 302, 307, 308]

/** Empty when it can be saved. `hosts`: the domains of the project. */
export function findProblems(text: string, hosts: readonly string[]): string[] {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return [`This is no JSON yet: ${(error as Error).message}`]
  }
  if (!isRecord(value)) return ['It has to be an object with primary and redirects.']
  const { primary = null, redirects } = value
  const problems: string[] = []
  const known = (host: unknown, place: string): void => {
    if (typeof host !== 'string') problems.push(`${place} has to be a domain.`)
    else if (!hosts.includes(host)) problems.push(`${place}: ${host} is not on this project.`)
  }
  if (primary !== null) known(primary, 'primary')
  if (!Array.isArray(redirects)) return [...problems, 'redirects has to be a list.']
  const from = redirects.map((each) => (isRecord(each) ? each.from : undefined))
  for (const [i, each] of redirects.entries()) {
    const place = `redirects[${i}]`
    if (!isRecord(each)) {
      problems.push(`${place} has to be an object with from, to and status.`)
      continue
    }
    known(each.from, `${place}.from`)
    known(each.to, `${place}.to`)
    if (!statuses.includes(each.status as number)) {
      problems.push(`${place}.status has to be ${statuses.join(', ')}.`)
    }
    if (each.from === primary) problems.push(`${place}.from: the primary cannot redirect.`)
    if (each.from === each.to) problems.push(`${place}: it leads to itself.`)
    else if (from.includes(each.to)) {
      problems.push(`${place}.to: ${String(each.to)} redirects, too. Name the last one.`)
    }
    if (from.indexOf(each.from) !== i) problems.push(`${place}.from is there twice.`)
  }
  return problems
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
