// The one button that checks a domain now. The background checks go the same way.
import { useQueryClient } from '@tanstack/react-query'
import { badges } from '../../../client/values/domain-badges.ts'
import { ActionButton } from '../../components/action-buttons.tsx'
import { counted } from '../../platform/numbers.ts'
import { useChange, useSlug } from '../../platform/requests.ts'
import { type Domain, putDomain } from './domain-queries.ts'
import { headlineOf } from './domain-status.ts'

export function VerifyButton({ domain }: { domain: Domain }) {
  const { badge, checkedAt, host, ownership } = domain
  const slug = useSlug()
  const client = useQueryClient()
  const verify = useChange('POST /projects/{slug}/domains/{host}/verify')
  // A check would not change it.
  if (badge === 'suspended') return null
  const verb = badge === 'paused' ? 'Resume' : ownership === 'proven' ? 'Re-verify' : 'Verify'
  const { tone } = badges[badge]

  async function act(): Promise<Domain> {
    const after = await verify.mutateAsync({ params: { host } })
    putDomain(client, slug, after)
    return after
  }

  /** The result, or why there is no new one. */
  const done = (after: Domain): string =>
    after.checkedAt === checkedAt && checkedAt !== null
      ? `${host} was checked a moment ago. You can verify it again in ${counted(secondsUntil(after.nextVerifyAt), 'second')}.`
      : resultOf(host, headlineOf(after, Date.now()))

  return (
    <ActionButton
      h={30}
      variant={tone === 'progress' || tone === 'success' ? 'default' : 'outline'}
      label={`${verb} ${host}`}
      act={act}
      done={done}
    >
      {verb}
    </ActionButton>
  )
}

/** The headline as a sentence that names the domain once. */
const resultOf = (host: string, headline: string): string =>
  (headline.includes(host) ? headline : `${host} was checked. ${headline}`).replace(/[^.]$/, '$&.')

/** At most ten, as the server has it: the clocks may differ. */
function secondsUntil(time: string | null): number {
  const seconds = Math.ceil((Date.parse(time ?? '') - Date.now()) / 1000)
  return Math.min(10, Math.max(1, seconds || 1))
}
