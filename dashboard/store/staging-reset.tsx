// Brings the sample animals of staging back, in the place of everything else.
import { useAnnounce } from '../components/announcements.tsx'
import { Confirm } from '../components/confirm.tsx'
import { counted } from '../platform/numbers.ts'
import { useResetStaging } from './environment-queries.ts'

export function StagingReset({ close, opened }: { opened: boolean; close: () => void }) {
  const reset = useResetStaging()
  const announce = useAnnounce()
  return (
    <Confirm
      opened={opened}
      close={close}
      title="Reset staging?"
      verb="Reset staging"
      act={async () => {
        const { animals } = await reset.mutateAsync()
        announce({ text: `Staging has its ${counted(animals, 'sample animal')} again.` })
      }}
    >
      All animals, categories and orders of staging go, and the sample animals come back. API keys
      and webhooks stay. Production is not touched.
    </Confirm>
  )
}
