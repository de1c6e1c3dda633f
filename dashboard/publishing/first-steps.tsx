// What a newcomer does next: read the first project, ask the API by its two base addresses, publish something,
// attach a domain. Stays until it is hidden.
import { Anchor, Button, Group, List, Paper, Stack, Text, Title } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import type { System } from '../../server/platform/system/schema.ts'
import { CopyBlock } from '../components/copy.tsx'
import { ask } from '../platform/api.ts'
import { useAccount } from '../platform/session.ts'

export function FirstSteps() {
  const isOperator = useAccount().role === 'operator'
  const [isHidden, setHidden] = useLocalStorage({
    key: 'animal-store:first-steps-hidden',
    defaultValue: false,
    getInitialValueInEffect: false,
  })
  const system = useQuery({
    queryKey: ['system'],
    queryFn: () => ask<System>('GET /system'),
    enabled: isOperator && !isHidden,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  if (!isOperator || isHidden || !system.data) return null
  const { production, staging } = system.data.addresses
  return (
    <Paper withBorder mt="xl" p="lg" component="section" aria-labelledby="next" maw="48rem">
      <Stack>
        <Group justify="space-between" wrap="nowrap">
          <Title order={2} size="h4" id="next">
            What to do next
          </Title>
          <Button variant="subtle" size="compact-sm" onClick={() => setHidden(true)}>
            Hide
          </Button>
        </Group>
        <Text>
          The store answers at two base addresses. Make a key at{' '}
          <Anchor component={Link} to="/store/staging/keys">
            API keys
          </Anchor>
          , put it in the place of API_KEY, and ask staging, which has sample animals:
        </Text>
        <CopyBlock
          what="the command for staging"
          text={`curl -H 'Authorization: Bearer API_KEY' '${staging}/pets?limit=3'`}
        />
        <Text>Production begins empty:</Text>
        <CopyBlock
          what="the command for production"
          text={`curl -H 'Authorization: Bearer API_KEY' '${production}/pets'`}
        />
        <List spacing={4}>
          <List.Item>
            Publish documentation of your own: choose New project, then drop a folder on it.
          </List.Item>
          <List.Item>
            Serve it at a name of your own: Project settings, Domains, Add domain.
          </List.Item>
          <List.Item>
            Let others in:{' '}
            <Anchor component={Link} to="/members">
              Members
            </Anchor>{' '}
            makes invitations.
          </List.Item>
        </List>
      </Stack>
    </Paper>
  )
}
