// If-Match: values that match the record, values that do not, and values that are not ETags.
import fc, { type Arbitrary } from 'fast-check'
import { fetchCurrentEtag, type Lane } from './choices.ts'
import { findEtags, type Kind, type Model } from './model.ts'
import { weighted } from './part.ts'

const forms = {
  right: (tag: string) => [tag],
  listed: (tag: string) => [`"x", ${tag} ,"y"`],
  inTwoHeaders: (tag: string) => ['"x"', tag],
  any: () => ['*'],
  weak: (tag: string) => [`W/${tag}`],
  unquoted: (tag: string) => [tag.replaceAll('"', '')],
  cut: (tag: string) => [`${tag.slice(0, -2)}"`],
  stale: (_: string, stale: string) => [stale],
  other: () => ['"x"'],
  empty: () => ['""'],
  garbage: () => ['x, ,;"'],
}
const matching: Form[] = ['right', 'listed', 'inTwoHeaders', 'any']
type Form = keyof typeof forms

export interface Condition {
  form: Form
  turn: number
}

/** No condition in half of the requests. */
export function conditions(): Arbitrary<Condition | undefined> {
  const others = (Object.keys(forms) as Form[]).filter((form) => !matching.includes(form))
  const form = fc.oneof(
    weighted(fc.constantFrom(...matching), 3),
    weighted(fc.constant<Form>('stale'), 2),
    weighted(fc.constantFrom(...others), 2),
  )
  const some = fc.record({ form, turn: fc.nat() })
  return fc.oneof(weighted(fc.constant(undefined), 1), weighted(some, 1))
}

/** The headers, and whether they prevent the change. */
export async function conditionHeaders(
  { form, turn }: Condition,
  lane: Lane,
  model: Model,
  kind: Kind,
  id: bigint | undefined,
): Promise<{ headers: string[]; isStale: boolean }> {
  const exists = id !== undefined && model[kind].has(id)
  const tag = exists ? await fetchCurrentEtag(lane, model, kind, id) : '"x"'
  const stale = exists ? findEtags(model, kind, id).stale : []
  const values = forms[form](tag, stale[turn % stale.length] ?? '"stale"')
  const headers = values.flatMap((value) => ['If-Match', value])
  return { headers, isStale: !matching.includes(form) }
}
