// Which TXT record the certificate authority validates before the switch, where it offers both.
import { useState } from 'react'
import { useAttempt } from '../../components/announcements.tsx'
import { OneOf } from '../../components/choices.tsx'
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
    <OneOf
      label="Record for the certificate authority"
      titles={{ 'dns-01': 'One-time record', 'dns-persist-01': 'Persistent record' }}
      descriptions={descriptions}
      disabled={chosen !== undefined}
      value={chosen ?? preparation.method}
      onChange={choose}
    />
  )
}

const descriptions = {
  'dns-01': 'For one certificate. A renewal before the switch needs another value.',
  'dns-persist-01':
    'Valid for 60 days, also for renewals before the switch. It names an account at the certificate authority for your domains only, which is closed when you remove the last of them.',
}

const titles = { 'dns-01': 'the one-time record', 'dns-persist-01': 'the persistent record' }
