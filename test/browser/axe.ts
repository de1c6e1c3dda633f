// Asks axe what keeps people from using a page.
import axe from 'axe-core'
import type { Page } from 'playwright-core'

/**
 * What axe finds, a line for each place; empty when all is well. With `tags` only the rules that carry one
 * of them are tried. The script goes in by the debugger's door, which no content security policy shuts.
 */
export async function findBarriers(page: Page, tags?: string[]): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source)
  return await page.evaluate(async (tags) => {
    const { axe } = globalThis as unknown as { axe: typeof import('axe-core') }
    const options = tags === undefined ? {} : { runOnly: { type: 'tag' as const, values: tags } }
    const { violations } = await axe.run(document, { ...options, resultTypes: ['violations'] })
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ failureSummary = '', target }) => {
        const why = failureSummary.replaceAll(/\s+/g, ' ')
        return `${id} at ${target.join(' ')}: ${why}`
      }),
    )
  }, tags)
}
