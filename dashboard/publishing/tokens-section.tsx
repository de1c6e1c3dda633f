// Tokens, with which programs deploy to a project. They belong to the account and work for all its projects.
import { Anchor, Button, Paper, Stack, Text } from '@mantine/core'
import { Link } from 'react-router'
import { CopyBlock } from '../components/copy.tsx'
import { Section } from '../components/page.tsx'
import { explain } from '../platform/api.ts'
import { useChange } from '../platform/requests.ts'
import { onDay } from '../platform/times.ts'
import type { Project } from './project-queries.ts'

export function TokensSection({ project }: { project: Project }) {
  const create = useChange('POST /account/tokens', { queryKey: ['account', 'tokens'] })
  const token = create.data?.token ?? 'as_pat_…'
  return (
    <Section title="Tokens" size="h3">
      <Paper withBorder p="md" mb="md">
        <Stack align="flex-start">
          <Text>
            Programs deploy with an access token. Tokens act as your account; you can see and revoke
            them under{' '}
            <Anchor component={Link} to="/account">
              Account
            </Anchor>
            .
          </Text>
          {create.data ? (
            <Text role="status" fw={600}>
              The token is in the commands below. It is shown only once, and expires on{' '}
              {onDay(create.data.expiresAt)}.
            </Text>
          ) : (
            <Button
              loading={create.isPending}
              onClick={() =>
                create.mutate({
                  body: {
                    label: `Deploying ${project.slug}`.slice(0, 100),
                    scopes: ['projects:read', 'projects:write', 'deploys:write'],
                  },
                })
              }
            >
              Create deploy token
            </Button>
          )}
          {create.error && (
            <Text c="red" role="alert">
              {explain(create.error)}
            </Text>
          )}
        </Stack>
      </Paper>
      <CopyBlock
        what="the commands"
        text={`export ANIMAL_STORE_URL=${location.origin}\nexport ANIMAL_STORE_TOKEN=${token}\n./animal-store deploy ./docs --project ${project.slug}`}
      />
    </Section>
  )
}
