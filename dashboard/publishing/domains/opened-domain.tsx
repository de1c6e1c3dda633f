// What an open card shows: the progress of a domain, its next step, and everything else behind Details.
import { Stack } from '@mantine/core'
import { Disclosure } from '../../components/disclosure.tsx'
import { DomainDetails } from './domain-details.tsx'
import { DomainProgress } from './domain-progress.tsx'
import { type Domain, useDomain } from './domain-queries.ts'
import { NextStep } from './next-step.tsx'

export function OpenedDomain({ domain: listed }: { domain: Domain }) {
  // Lists leave out the rate limits of the certificate authority.
  const { data: domain = listed } = useDomain(listed.host)
  return (
    <Stack gap="lg">
      <DomainProgress domain={domain} />
      <NextStep domain={domain} />
      <Disclosure label="Details" openLabel="Hide details" gap="lg">
        <DomainDetails domain={domain} />
      </Disclosure>
    </Stack>
  )
}
