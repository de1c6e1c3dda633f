// The first paint of a page of the dashboard, before its script runs: header, navigation and heading, and the files of
// the page, which the browser requests with the entry's. The build lists both in frames.json
// (dashboard/platform/page-frames.ts).
import { existsSync, readFileSync } from 'node:fs'

interface BuiltFrame {
  path: string
  title: string
  lead?: string
  scripts: string[]
  styles: string[]
}

export interface RenderedFrame {
  title: string
  /** Elements of the head. */
  links: string
  /** Elements of the body. */
  frame: string
}

/** Reads frames.json; the function returns what to show at a path, undefined where nothing is known before. */
export function readFrames(file: string): (path: string) => RenderedFrame | undefined {
  const frames = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as BuiltFrame[]) : []
  const patterns = frames.map((frame) => ({ frame, pattern: patternOf(frame.path) }))
  return (path) => {
    for (const { frame, pattern } of patterns) {
      const match = pattern.exec(path)
      if (match) return render(frame, match.groups?.slug)
    }
    return undefined
  }
}

/** Segments are of characters that need no escape in HTML. */
function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/:(\w+)/g, '(?<$1>[a-z0-9-]{1,63})')}/?$`)
}

function render({ lead, scripts, styles, title }: BuiltFrame, slug = ''): RenderedFrame {
  const shown = title === ':slug' ? slug : title
  const introduction = lead ? `<p>${lead}</p>` : ''
  const bars = '<div class="frame-bar"></div>'.repeat(4)
  return {
    title: `${shown} · Animal Store`,
    links: styles
      .map(
        (href) => `<link rel="preload" as="style" fetchpriority="low" crossorigin href="/${href}">`,
      )
      .join(''),
    frame: `<div id="frame" aria-hidden="true" data-scripts="${scripts.map((href) => `/${href}`).join(' ')}"><div class="frame-header"></div><div class="frame-navigation"></div><div class="frame-main"><div class="frame-page"><h1>${shown}</h1>${introduction}${bars}</div></div></div>`,
  }
}
