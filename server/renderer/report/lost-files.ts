// Files of a folder that its author meant to be read, or to have an effect, and that do neither.
import type { ProblemLog } from './build-report.ts'

/** Formats of documentation without a renderer. */
const unrendered =
  /\.(?:rst|adoc|asciidoc|asc|ipynb|org|textile|mediawiki|creole|pod|rdoc|qmd|rmd)$/i

/** Files by which hosts are configured. */
const ofHosts = new Set(['_headers', 'vercel.json', 'netlify.toml'])

/** `published`: the sources of the files that are published unchanged. `deployed`: all. */
export function noteLostFiles(
  { published, deployed }: { published: Iterable<string>; deployed: Iterable<string> },
  { count }: Pick<ProblemLog, 'count'>,
): void {
  for (const file of published) {
    const format = unrendered.exec(file)?.[0].toLowerCase()
    if (format !== undefined) count('not_rendered', format, { file })
  }
  for (const file of deployed) {
    if (ofHosts.has(file)) count('setting_not_used', `${file} of another host`, { file })
  }
}
