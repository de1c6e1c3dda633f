// Project settings: General, Domains, Tokens, Danger zone.
import { Anchor, Button, NavLink, Paper, Stack, Text } from '@mantine/core'
import { Link, useParams } from 'react-router'
import { CopyBlock } from '../components/copy.tsx'
import { Page, Section } from '../components/page.tsx'
import { Loaded } from '../components/states.tsx'
import { explain } from '../platform/api.ts'
import { useChange } from '../platform/requests.ts'
import { onDay } from '../platform/times.ts'
import { NotFound } from '../shell/problem-pages.tsx'
import { DomainsSection } from './domains/domains-section.tsx'
import { DangerZone, GeneralSettings } from './general-settings.tsx'
import type { Project } from './project-queries.ts'
import { useProject } from './project-queries.ts'
import classes from './settings-page.module.css'

const sections = [
  { id: 'general', title: 'General' },
  { id: 'domains', title: 'Domains' },
  { id: 'tokens', title: 'Tokens' },
  { id: 'danger', title: 'Danger zone' },
] as const

export function Component() {
  const { section = 'general', slug = '' } = useParams()
  const project = useProject()
  const title = project.data?.name ?? slug
  const shown = sections.find(({ id }) => id === section)
  if (!shown) return <NotFound />
  return (
    <Page
      title="Project settings"
      tab={shown.title}
      within={[
        { title: 'Projects', to: '/' },
        { title, to: `/projects/${slug}` },
      ]}
    >
      <div className={classes.columns}>
        <nav aria-label="Project settings" className={classes.sections}>
          {sections.map(({ id, title: name }) => (
            <NavLink
              key={id}
              component={Link}
              to={`/projects/${slug}/settings/${id}`}
              label={name}
              active={section === id}
              aria-current={section === id ? 'page' : undefined}
              className={classes.section ?? ''}
            />
          ))}
        </nav>
        <Stack className={classes.content ?? ''}>
          {section === 'domains' ? (
            <DomainsSection />
          ) : (
            <Loaded query={project}>
              {(found) =>
                section === 'danger' ? (
                  <DangerZone project={found} />
                ) : section === 'tokens' ? (
                  <TokensSection project={found} />
                ) : (
                  <GeneralSettings key={found.slug} project={found} />
                )
              }
            </Loaded>
          )}
        </Stack>
      </div>
    </Page>
  )
}

/** Creates a token. Tokens belong to the account and work for all its projects. */
function TokensSection({ project }: { project: Project }) {
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
