// The first paint of a page of the dashboard, before its script runs: header, navigation, heading and first texts; the
// files of the page, which the browser requests with the entry's; and the answers that the page starts with. The build
// lists pages in frames.json and bundles what their texts are (dashboard/platform/page-frames.ts, page-texts.ts).
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

interface BuiltFrame {
  path: string
  title: string
  lead?: string
  within?: string
  tabs?: string[]
  requests?: string[]
  scripts: string[]
  styles: string[]
}

/** Texts that follow from answers of the API, by their requests. */
interface Texts {
  title?: string
  lead?: string
  cards?: string[][]
}
type TextsOf = (path: string, answers: Record<string, unknown>) => Texts

export interface RenderedFrame {
  title: string
  /** Elements of the head. */
  links: string
  /** Elements of the body. */
  frame: string
}

/** A page of the dashboard that is known before its script runs. */
export interface PageFrame {
  /** What its script requests first, as paths below the API. */
  requests: string[]
  /** `answers` are JSON, in the order of the requests; undefined where there is none. */
  render(answers: (string | undefined)[]): RenderedFrame
}

type Params = Record<string, string>

/** Of every page with a session. */
const sessionRequest = '/session'
/** Cards below the fold are not painted. */
const maxCards = 8
/** Of the answers together: the page is not compressed, and is painted when it has arrived. */
const maxAnswersLength = 24 * 1024

/** Reads what was built; the function returns the page at an address, undefined where nothing is known before. */
export function readFrames(folder: string): (target: string) => PageFrame | undefined {
  const file = join(folder, 'frames.json')
  const frames = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as BuiltFrame[]) : []
  const textsOf = readTexts(join(folder, 'page-texts.mjs'))
  const patterns = frames.map((frame) => ({ frame, pattern: patternOf(frame.path) }))
  return (target) => {
    const [path = '', query = ''] = target.split('?')
    for (const { frame, pattern } of patterns) {
      const match = pattern.exec(path)
      if (match) return pageFrame(frame, match.groups ?? {}, query !== '', textsOf)
    }
    return undefined
  }
}

function readTexts(file: string): TextsOf {
  if (!existsSync(file)) return () => ({})
  return (createRequire(file)(file) as { textsOf: TextsOf }).textsOf
}

/** Segments are of characters that need no escape in HTML. */
function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/:(\w+)/g, '(?<$1>[a-z0-9-]{1,63})')}/?$`)
}

function pageFrame(
  frame: BuiltFrame,
  params: Params,
  isFiltered: boolean,
  textsOf: TextsOf,
): PageFrame {
  const requests = [sessionRequest, ...(frame.requests ?? [])]
    // A list follows the filters in the page's own address.
    .filter((request) => !isFiltered || !request.includes('?'))
  const filled = requests.map((request) =>
    request.replace(/:(\w+)/g, (_, name) => params[name] ?? ''),
  )
  return {
    requests: filled,
    render(answers) {
      const known = Object.fromEntries(
        requests.map((request, i) => [request, parsed(answers[i])] as const),
      )
      return render(frame, params, textsOf(frame.path, known), embedded(filled, answers))
    },
  }
}

const parsed = (answer: string | undefined): unknown =>
  answer === undefined ? undefined : JSON.parse(answer)

/** The answers by their paths, as JSON that cannot end its element; the first ones that fit. */
function embedded(requests: string[], answers: (string | undefined)[]): string {
  let length = 0
  const entries: string[] = []
  for (const [i, request] of requests.entries()) {
    const answer = answers[i]
    if (answer === undefined || length + answer.length > maxAnswersLength) continue
    length += answer.length
    entries.push(`${JSON.stringify(request)}:${answer}`)
  }
  const json = `{${entries.join()}}`.replace(
    /[<>\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return `<script type="application/json" id="first-answers">${json}</script>`
}

function render(
  { lead: fixedLead = '', scripts, styles, tabs = [], title: fixedTitle, within }: BuiltFrame,
  { slug = '' }: Params,
  { cards = [], lead = fixedLead, title = fixedTitle === ':slug' ? slug : fixedTitle }: Texts,
  answers: string,
): RenderedFrame {
  const above = within ? `<div class="frame-within">${within}</div>` : ''
  const names = tabs.map((tab) => `<span>${tab}</span>`).join('')
  const list = names && `<div class="frame-tabs">${names}</div>`
  const introduction = lead && `<p>${escaped(lead)}</p>`
  const shown = cards.slice(0, maxCards).map(([first = '', ...more]) => {
    const lines = [`<strong>${escaped(first)}</strong>`, ...more.map(escaped)]
    return `<p class="frame-card">${lines.join('<br>')}</p>`
  })
  const bars = Array.from(
    { length: Math.max(0, 4 - shown.length) },
    () => '<div class="frame-bar"></div>',
  )
  const content = [...shown, ...bars].join('')
  const files = scripts.map((href) => `/${href}`).join(' ')
  return {
    title: escaped(`${title} · Animal Store`),
    links: styles
      .map(
        (href) => `<link rel="preload" as="style" fetchpriority="low" crossorigin href="/${href}">`,
      )
      .join(''),
    frame: `<div id="frame" aria-hidden="true" data-scripts="${files}"><div class="frame-header"></div><div class="frame-navigation"></div><div class="frame-main"><div class="frame-page">${above}<h1>${escaped(title)}</h1>${introduction}${list}${content}</div></div></div>${answers}`,
  }
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Text within an element. */
const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => entities[character] as string)
