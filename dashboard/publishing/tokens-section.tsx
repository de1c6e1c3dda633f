// Tokens: how programs deploy to a project. They belong to the account and work for all of its projects.
import { Anchor, Button, Paper, Stack, Text, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Link } from 'react-router'
import type { Project } from '../../server/publishing/projects/schema.ts'
import { CopyBlock } from '../components/copy.tsx'
import { ask, explain } from '../platform/api.ts'
import { onDay } from '../platform/times.ts'

interface IssuedToken {
  token: string
  expiresAt: string
}

export function TokensSection({ project }: { project: Project }) {
  const make = useMutation({
    mutationFn: () =>
      ask<IssuedToken>('POST /account/tokens', {
        body: {
          label: `Deploying ${project.slug}`.slice(0, 100),
          scopes: ['projects:read', 'projects:write', 'deploys:write'],
        },
      }),
  })
  const token = make.data?.token ?? 'as_pat_…'
  return (
    <Stack>
      <Title order={2} size="h3">
        Tokens
      </Title>
      <Paper withBorder p="md">
        <Stack align="flex-start">
          <Text>
            Programs deploy with an access token, which stands for you. All of yours are listed at{' '}
            <Anchor component={Link} to="/account">
              Account
            </Anchor>
            , where they can be revoked.
          </Text>
          {make.data ? (
            <Text role="status" fw={600}>
              The token is in the commands. It is shown this once, and works until{' '}
              {onDay(make.data.expiresAt)}.
            </Text>
          ) : (
            <Button loading={make.isPending} onClick={() => make.mutate()}>
              Make a token for deploying
            </Button>
          )}
          {make.error && (
            <Text c="red" role="alert">
              {explain(make.error)}
            </Text>
          )}
        </Stack>
      </Paper>
      <CopyBlock
        what="the commands"
        text={`export ANIMAL_STORE_URL=${location.origin}\nexport ANIMAL_STORE_TOKEN=${token}\n./animal-store deploy ./docs --project ${project.slug}`}
      />
    </Stack>
  )
}
