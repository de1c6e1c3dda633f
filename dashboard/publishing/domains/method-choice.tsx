// Which TXT record the certificate authority validates before the switch, where it offers both.
import { Radio, Stack } from '@mantine/core'
import { useState } from 'react'
import { useAttempt } from '../../components/announcements.tsx'
import { type Domain, type PreparationMethod, usePrepare } from './domain-queries.ts'

export function MethodChoice({ domain: { host, preparation } }: { domain: Domain }) {
  const prepare = usePrepare(host)
  const attempt = useAttempt()
  const [chosen, setChosen] = useState<PreparationMethod>()
  const choose = (method: PreparationMethod): void => {
    setChosen(method)
    const choosing = prepare(true, method).finally(() => setChosen(undefined))
    attempt(choosing, () => `${host}: ${titles[method]} is used.`)
  }
  return (
    <Radio.Group
      label="Record for the certificate authority"
      value={chosen ?? preparation.method}
      onChange={(method) => choose(method as PreparationMethod)}
    >
      <Stack gap={8} mt={6}>
        <Radio
          value="dns-01"
          disabled={chosen !== undefined}
          label="One-time record"
          description="For one certificate. A renewal before the switch needs another value."
        />
        <Radio
          value="dns-persist-01"
          disabled={chosen !== undefined}
          label="Persistent record"
          description="Valid for 60 days, also for renewals before the switch. It names an account at the certificate authority for your domains only, which is closed when you remove the last of them."
        />
      </Stack>
    </Radio.Group>
  )
}

const titles = { 'dns-01': 'the one-time record', 'dns-persist-01': 'the persistent record' }
