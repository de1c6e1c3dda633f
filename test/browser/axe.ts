// Runs axe, which finds accessibility problems, on a page.
import axe from 'axe-core'
import type { Page } from 'playwright-core'

/**
 * Returns one line for each problem. With `tags`, only rules with one of them run; with the selector `within`, only those
 * for what it matches, such as a dialog above a page that has no problems. The script is injected through the
 * debugger protocol, which no content security policy blocks.
 */
export async function findAccessibilityProblems(
  page: Page,
  tags?: string[],
  within?: string,
): Promise<string[]> {
  if ((await page.evaluate('typeof axe')) === 'undefined')
    await page.evaluate(`${axe.source}; axe.configure({ noHtml: true })`)
  const options: axe.RunOptions = {
    ...(tags && { runOnly: { type: 'tag', values: tags } }),
    // Off unless asked for, as WCAG 2.2 is young.
    ...(!tags && { rules: { 'target-size': { enabled: true } } }),
    resultTypes: ['violations'],
    // Only experimental rules and those for audio and video need it: it loads the style sheets again.
    preload: false,
  }
  const context = within === undefined ? 'document' : JSON.stringify(within)
  const expression = `axe.run(${context}, ${JSON.stringify(options)}).then(({ violations }) => violations)`
  const violations = await page.evaluate<axe.Result[]>(expression)
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ failureSummary = '', target }) => {
      const why = failureSummary.replaceAll(/\s+/g, ' ')
      return `${id} at ${target.join(' ')}: ${why}`
    }),
  )
}
