// The names that generators have for the same block: `::: details`, `{{< expand >}}` and `{% tabs %}` say only how a block is
// written, its name says what it is.
import { type Box, calloutNamed } from '../markdown/boxes.ts'
import { capital } from '../sources/plain-text.ts'

const kinds = Object.fromEntries(
  Object.entries({
    details: 'details dropdown collapse collapsible expand expander accordion spoiler toggle fold',
    tabs: 'tabs tabset tab-set tabpane tabgroup',
    tab: 'tab tab-item tabitem',
    'code-group': 'code-group codegroup code-tabs',
    steps: 'steps stepper',
    step: 'step',
    cards: 'cards card-grid cardgrid cardpane card-group grid',
    card: 'card link-card linkcard grid-item-card',
    columns: 'columns cols row',
    column: 'column col grid-item',
    group:
      'v-pre raw group div span center only margin md-demo updates accordion-group accordiongroup',
  }).flatMap(([kind, names]) => names.split(' ').map((name) => [name, kind as Box['kind']])),
)

export interface BoxOptions {
  /** Inline Markdown. */
  title?: string | undefined
  href?: string | undefined
  isOpen?: boolean | undefined
}

/** The box of a name in any case; undefined if it is not known. */
export function boxNamed(name: string, options: BoxOptions = {}): Box | undefined {
  const { title = '', href, isOpen } = options
  const lower = name.toLowerCase()
  const kind = Object.hasOwn(kinds, lower) ? kinds[lower] : undefined
  if (kind === undefined) {
    const callout = calloutNamed(name)
    return callout && { ...callout, title: title || callout.title }
  }
  if (kind === 'card') return { kind, title, ...(href !== undefined && { href }) }
  if (kind === 'details') return { kind, title: title || capital(lower), isOpen: isOpen ?? false }
  if (kind === 'tab') return { kind, title, isSelected: isOpen ?? false }
  return (kind === 'step' ? { kind, title } : { kind }) as Box
}
