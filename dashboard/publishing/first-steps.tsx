// The next steps of a new operator: call the API, publish documentation, add a domain. Shown until hidden.
import { Anchor, Button, Group, List, Paper, Stack, Text, Title } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { Link } from 'react-router'
import { CopyBlock } from '../components/copy.tsx'
import { useGet } from '../platform/requests.ts'
import { useAccount } from '../platform/use-account.ts'

export function FirstSteps() {
  const isOperator = useAccount().role === 'operator'
  const [isHidden, setHidden] = useLocalStorage({
    key: 'animal-store:first-steps-hidden',
    defaultValue: false,
    getInitialValueInEffect: false,
  })
  const system = useGet(
    'GET /system',
    {},
    { enabled: isOperator && !isHidden, staleTime: Number.POSITIVE_INFINITY, retry: false },
  )
  if (!isOperator || isHidden || !system.data) return null
  const { production, staging } = system.data.addresses
  return (
    <Paper withBorder mt="xl" p="lg" component="section" aria-labelledby="next" maw="48rem">
      <Stack>
        <Group justify="space-between" wrap="nowrap">
          <Title order={2} size="h4" id="next">
            Next steps
          </Title>
          <Button variant="subtle" size="compact-sm" onClick={() => setHidden(true)}>
            Hide
          </Button>
        </Group>
        <Text>
          The store API has two base addresses. Create a key under{' '}
          <Anchor component={Link} to="/store/staging/keys">
            API keys
          </Anchor>
          , replace API_KEY with it, and call staging, which has sample animals:
        </Text>
        <CopyBlock
          what="the command for staging"
          text={`curl -H 'Authorization: Bearer API_KEY' '${staging}/pets?limit=3'`}
        />
        <Text>Production is empty at first:</Text>
        <CopyBlock
          what="the command for production"
          text={`curl -H 'Authorization: Bearer API_KEY' '${production}/pets'`}
        />
        <List spacing={4}>
          <List.Item>
            Publish your documentation: choose New project, then drop a folder on it.
          </List.Item>
          <List.Item>Use your own domain: Project settings, Domains, Add domain.</List.Item>
          <List.Item>
            Invite others under{' '}
            <Anchor component={Link} to="/members">
              Members
            </Anchor>
            .
          </List.Item>
        </List>
      </Stack>
    </Paper>
  )
}
