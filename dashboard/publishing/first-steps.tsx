// What a newcomer does next: read the first project, ask the API by its two base addresses, attach a domain.
import { Anchor, Paper, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import type { System } from '../../server/platform/system/schema.ts'
import { CopyBlock } from '../parts/copy.tsx'
import { ask } from '../platform/api.ts'
import { useAccount } from '../platform/session.ts'

export function FirstSteps() {
  const { role } = useAccount()
  const isOperator = role === 'operator'
  const system = useQuery({
    queryKey: ['system'],
    queryFn: () => ask<System>('GET /system'),
    enabled: isOperator,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  if (!isOperator || !system.data) return null
  const { production, staging } = system.data.addresses
  return (
    <Stack mt="xl" component="section" aria-labelledby="next">
      <Title order={2} size="h4" id="next">
        What to do next
      </Title>
      <Paper withBorder p="md">
        <Stack>
          <Text>
            The store answers at two base addresses. Make a key at{' '}
            <Anchor component={Link} to="/store/staging/keys">
              API keys
            </Anchor>
            , put it in the place of API_KEY, and ask staging, which has sample animals:
          </Text>
          <CopyBlock
            what="the command"
            text={`curl -H 'Authorization: Bearer API_KEY' '${staging}/pets?limit=3'`}
          />
          <Text>Production begins empty:</Text>
          <CopyBlock
            what="the command"
            text={`curl -H 'Authorization: Bearer API_KEY' '${production}/pets'`}
          />
          <Text>
            Open a project above and choose Project settings, Domains to serve it at a name of your
            own.
          </Text>
        </Stack>
      </Paper>
    </Stack>
  )
}
