// Asks axe what keeps people from using a page.
import axe from 'axe-core'
import type { Page } from 'playwright-core'

/**
 * What axe finds, a line for each place; empty when all is well. With `tags` only the rules that carry one
 * of them are tried. The script goes in by the debugger's door, which no content security policy shuts.
 */
export async function findBarriers(page: Page, tags?: string[]): Promise<string[]> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe.source)
  const options: axe.RunOptions = {
    ...(tags && { runOnly: { type: 'tag', values: tags } }),
    resultTypes: ['violations'],
  }
  const expression = `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`
  const violations = await page.evaluate<axe.Result[]>(expression)
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ failureSummary = '', target }) => {
      const why = failureSummary.replaceAll(/\s+/g, ' ')
      return `${id} at ${target.join(' ')}: ${why}`
    }),
  )
}
