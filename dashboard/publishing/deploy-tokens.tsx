// The deploy tokens of a project, and what CI does with one. A token is named before it is created, and shown once.
import { Paper, Stack, Tabs, Text } from '@mantine/core'
import { AddButton } from '../components/add-button.tsx'
import { CopyBlock } from '../components/copy.tsx'
import { SelectField, TextField } from '../components/fields.tsx'
import { Form } from '../components/form.tsx'
import { Section } from '../components/page.tsx'
import { Records } from '../components/records.tsx'
import { ShownOnce } from '../components/shown-once.tsx'
import { Empty, LoadedItems } from '../components/states.tsx'
import { Ago } from '../components/time.tsx'
import { RevokeToken, TokenName, tokenTimes } from '../components/token-cells.tsx'
import { tokenLifetimes } from '../components/token-lifetimes.ts'
import { useForm } from '../components/use-form.ts'
import { useChange, useGet } from '../platform/requests.ts'
import { type SnippetTool, snippetsOf, snippetTools } from './deploy-snippets.ts'
import type { Project } from './project-queries.ts'

/** Deploy tokens are listed under Account, too. */
const changesOf = (slug: string) =>
  [{ queryKey: ['projects', slug, 'tokens'] }, { queryKey: ['account', 'tokens'] }] as const

export function DeployTokens({ project }: { project: Project }) {
  const { slug } = project
  const tokens = useGet('GET /projects/{slug}/tokens')
  const revoke = useChange('DELETE /projects/{slug}/tokens/{tokenId}', ...changesOf(slug))
  const create = (
    <AddButton
      label="Create token"
      title="Create deploy token"
      size="lg"
      content={(close) => <DeployTokenForm project={project} close={close} />}
    />
  )
  return (
    <Stack gap="xl">
      <Section
        title="Deploy tokens"
        size="h3"
        actions={(tokens.data?.items.length ?? 0) > 0 && create}
      >
        <Text c="dimmed" mb="md">
          A deploy token can deploy to {project.name} and read its deploys. It can do nothing else.
        </Text>
        <LoadedItems
          query={tokens}
          empty={
            <Paper withBorder>
              <Empty title="No deploy tokens yet" action={create}>
                Create one for each pipeline or machine that deploys, so that you can revoke it
                alone.
              </Empty>
            </Paper>
          }
        >
          {(items) => (
            <Records
              caption="Deploy tokens"
              rows={items}
              columns={[
                {
                  title: 'Name',
                  isHead: true,
                  by: ({ label }) => label,
                  cell: (token) => <TokenName token={token} by={token.createdBy.name} />,
                },
                {
                  title: 'Created',
                  by: ({ createdAt }) => createdAt,
                  cell: ({ createdAt }) => <Ago time={createdAt} />,
                },
                ...tokenTimes,
              ]}
              actions={({ id, label }) => (
                <RevokeToken
                  label={label}
                  text="Deploys with it are refused from the next request on. This cannot be undone."
                  act={() => revoke.mutateAsync({ params: { tokenId: id } })}
                />
              )}
            />
          )}
        </LoadedItems>
      </Section>
      <Section title="Deploy from CI" size="h3">
        <Snippets slug={slug} />
      </Section>
    </Stack>
  )
}

function DeployTokenForm({ close, project }: { project: Project; close: () => void }) {
  const { slug } = project
  const create = useChange('POST /projects/{slug}/tokens', ...changesOf(slug))
  const { field, form } = useForm({
    initial: { label: '', expiresInDays: '90' },
    send: ({ expiresInDays, label }) =>
      create.mutateAsync({ body: { label, expiresInDays: Number(expiresInDays) } }),
  })
  if (create.data) {
    return (
      <ShownOnce what="deploy token" secret={create.data.token} close={close}>
        <Snippets slug={slug} token={create.data.token} />
      </ShownOnce>
    )
  }
  return (
    <Form close={close} verb="Create token" {...form}>
      <TextField
        {...field('label')}
        label="Name"
        description={`What deploys ${project.name} with it, such as GitHub Actions.`}
        data-autofocus
      />
      <SelectField {...field('expiresInDays')} label="Expires" data={tokenLifetimes} />
    </Form>
  )
}

function Snippets({ slug, token }: { slug: string; token?: string }) {
  const snippets = snippetsOf(location.origin, slug, token)
  return (
    <Tabs defaultValue={tabOf('GitHub Actions')} keepMounted={false}>
      <Tabs.List>
        {snippetTools.map((tool) => (
          <Tabs.Tab key={tool} value={tabOf(tool)}>
            {tool}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {snippetTools.map((tool) => (
        <Tabs.Panel key={tool} value={tabOf(tool)} pt="sm">
          <Stack gap="xs">
            <Text size="sm">{snippets[tool].lead}</Text>
            <CopyBlock text={snippets[tool].text} what={`the commands for ${tool}`} />
          </Stack>
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}

/** Part of ids in the page, which have no spaces. */
const tabOf = (tool: SnippetTool): string => tool.replaceAll(' ', '-')
