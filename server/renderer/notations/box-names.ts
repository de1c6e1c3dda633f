// The names that generators have for the same block: `::: details`, `{{< expand >}}` and `{% tabs %}` say only how a block is
// written, its name says what it is.
import { type Box, calloutNamed, tableOf } from '../markdown/boxes.ts'
import { capital } from '../sources/plain-text.ts'

/** By `keyOf` a name. */
export const boxKinds = tableOf<Box['kind']>([
  ['details dropdown collapse collapsible expand expander expandable toggle fold', 'details'],
  ['accordion accordionitem detailedexplanation spoiler', 'details'],
  ['tabs tabset tabpane tabgroup', 'tabs'],
  ['tab tabitem', 'tab'],
  ['codegroup codetabs codeblocks requestexample responseexample', 'code-group'],
  ['steps stepper', 'steps'],
  ['step', 'step'],
  ['cards cardgrid cardpane cardgroup cardlist grid tiles linkcards', 'cards'],
  ['card linkcard griditemcard doccard featurecard tile', 'card'],
  ['columns cols row', 'columns'],
  ['column col griditem', 'column'],
  ['vpre raw group div span center only margin mddemo updates accordiongroup accordions', 'group'],
])

export interface BoxOptions {
  /** Inline Markdown. */
  title?: string | undefined
  href?: string | undefined
  isOpen?: boolean | undefined
}

/** A name as the tables have it: of `Tabs.Tab`, `TAB` and `tab-item`, the last part in lower case without hyphens. */
export const keyOf = (name: string): string =>
  name
    .slice(name.lastIndexOf('.') + 1)
    .toLowerCase()
    .replaceAll(/[-_]/g, '')

/** Undefined if the name is not known. */
export function boxNamed(name: string, options: BoxOptions = {}): Box | undefined {
  const { title = '', href, isOpen } = options
  const kind = boxKinds.get(keyOf(name))
  if (kind === undefined) {
    const callout = calloutNamed(name)
    return callout && { ...callout, title: title || callout.title }
  }
  if (kind === 'card') return { kind, title, ...(href !== undefined && { href }) }
  if (kind === 'details')
    return { kind, title: title || capital(name.toLowerCase()), isOpen: isOpen ?? false }
  if (kind === 'tab') return { kind, title, isSelected: isOpen ?? false }
  return (kind === 'step' ? { kind, title } : { kind }) as Box
}
