// If-Match: what fits the record, what does not, and what is no ETag at all.
import fc, { type Arbitrary } from 'fast-check'
import { currentTag, type Lane } from './choices.ts'
import { right } from './part.ts'
import { type Kind, tagsOf, type World } from './world.ts'

const forms = {
  right: (tag: string) => [tag],
  listed: (tag: string) => [`"x", ${tag} ,"y"`],
  inTwoFields: (tag: string) => ['"x"', tag],
  any: () => ['*'],
  weak: (tag: string) => [`W/${tag}`],
  unquoted: (tag: string) => [tag.replaceAll('"', '')],
  cut: (tag: string) => [`${tag.slice(0, -2)}"`],
  stale: (_: string, stale: string) => [stale],
  other: () => ['"x"'],
  empty: () => ['""'],
  garbage: () => ['x, ,;"'],
}
const fitting: Form[] = ['right', 'listed', 'inTwoFields', 'any']
type Form = keyof typeof forms

export interface Condition {
  form: Form
  turn: number
}

/** None more often than one. */
export function conditions(): Arbitrary<Condition | undefined> {
  const others = (Object.keys(forms) as Form[]).filter((form) => !fitting.includes(form))
  const form = fc.oneof(
    right(fc.constantFrom(...fitting), 3),
    right(fc.constant<Form>('stale'), 2),
    right(fc.constantFrom(...others), 2),
  )
  const some = fc.record({ form, turn: fc.nat() })
  return fc.oneof(right(fc.constant(undefined), 1), right(some, 1))
}

/** The fields, and whether they stand in the way. Without a record there is nothing to fit. */
export async function conditionFields(
  { form, turn }: Condition,
  lane: Lane,
  world: World,
  kind: Kind,
  id: bigint | undefined,
): Promise<{ headers: string[]; isStale: boolean }> {
  const isThere = id !== undefined && world[kind].has(id)
  const tag = isThere ? await currentTag(lane, world, kind, id) : '"x"'
  const stale = isThere ? tagsOf(world, kind, id).stale : []
  const values = forms[form](tag, stale[turn % stale.length] ?? '"stale"')
  const headers = values.flatMap((value) => ['If-Match', value])
  return { headers, isStale: !fitting.includes(form) }
}
