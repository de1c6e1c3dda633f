// The deploy tokens of a project, what CI does with one, and its site tokens. A token is named before it is created, and
// shown once.
import { Stack, Tabs, Text } from '@mantine/core'
import type { Answer } from '../../../client/management-client.ts'
import { AddButton, ShownOnce } from '../../components/actions.tsx'
import { CopyBlock } from '../../components/copy.tsx'
import { Form, SelectField, TextField, useForm } from '../../components/form.tsx'
import { Empty, Section } from '../../components/page.tsx'
import { TokenRecords, timeColumn, tokenLifetimes } from '../../components/records.tsx'
import { useChange, useGet } from '../../platform/requests.ts'
import { addressOf, isOwned, type Project, projectQueries } from '../project-queries.ts'

/**
 * Commands that deploy a folder with a deploy token, for CI and a shell. They run as printed: each sends ./docs, waits
 * for the result, prints it, and fails if the deploy fails. `token`: the text of one that was just created; otherwise a
 * placeholder is printed.
 */
function snippetsOf(dashboard: string, slug: string, token = 'as_pat_…') {
  const script = scriptOf(`${dashboard}/api/projects/${slug}`)
  const secret = 'the token as its value'
  return [
    {
      tool: 'GitHub Actions',
      lead: `Add a repository secret named ANIMAL_STORE_TOKEN with ${secret}, and this file as .github/workflows/docs.yml.`,
      text: `name: Deploy documentation
on:
  push:
    branches: [main]
jobs:
  deploy:
    runs-on: ubuntu-latest
    permissions:
      contents: read
    steps:
      - uses: actions/checkout@v5
      - name: Deploy docs
        env:
          ANIMAL_STORE_TOKEN: \${{ secrets.ANIMAL_STORE_TOKEN }}
        run: |
${indented(script, 10)}`,
    },
    {
      tool: 'GitLab CI',
      lead: `Add a masked CI/CD variable named ANIMAL_STORE_TOKEN with ${secret}, and this job to .gitlab-ci.yml.`,
      text: `deploy-docs:
  image: buildpack-deps:curl
  rules:
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
  script:
    - |
${indented(script, 6)}`,
    },
    {
      tool: 'curl',
      lead: 'Run these commands in the folder that contains docs. They need sh, tar and curl 7.76 or later.',
      text: `export ANIMAL_STORE_TOKEN=${token}
sh <<'DEPLOY'
${script}
DEPLOY`,
    },
    {
      tool: 'CLI',
      lead: 'Run these commands in the folder of Animal Store, with the folder of your documentation instead of docs. Only files that changed are sent.',
      text: `export ANIMAL_STORE_URL=${dashboard}
export ANIMAL_STORE_TOKEN=${token}
./animal-store deploy docs --project ${slug}`,
    },
  ]
}

/** `project` is its address in the API. */
const scriptOf = (project: string): string => `set -eu
project=${project}
ask() { curl -sS --fail-with-body -H "Authorization: Bearer $ANIMAL_STORE_TOKEN" "$@"; }
stop() { echo "$deploy" >&2; exit 1; }
site=$(mktemp)
tar -czf "$site" -C docs .
deploy=$(ask -H 'Content-Type: application/gzip' --data-binary "@$site" "$project/archives") || stop
number=$(echo "$deploy" | grep -o '"number":[0-9]*' | head -n 1 | cut -d : -f 2)
while echo "$deploy" | grep -Eq '"state":"(uploaded|building)"'; do
  deploy=$(ask "$project/deploys/$number?wait=20") || stop
done
if echo "$deploy" | grep -q '"state":"failed"'; then stop; fi
echo "$deploy"`

const indented = (text: string, spaces: number): string =>
  text.replaceAll(/^/gm, ' '.repeat(spaces))

/** They are listed under Account, too. */
const changesOf = (slug: string) => [projectQueries(slug), { queryKey: ['account', 'tokens'] }]

/** What the two kinds of tokens are for. */
const kinds = {
  deploy: {
    scope: 'project:deploy',
    title: 'Deploy tokens',
    name: 'deploy token',
    lead: (project: string) =>
      `A deploy token can deploy to ${project}, manage its previews and read both. It can do nothing else.`,
    empty: 'Create one for each pipeline or machine that deploys, so that you can revoke it alone.',
    revoked: 'Deploys with it are refused from the next request on. This cannot be undone.',
    use: (project: string) => `What deploys ${project} with it, such as GitHub Actions.`,
  },
  site: {
    scope: 'site:read',
    title: 'Site tokens',
    name: 'site token',
    lead: (project: string) =>
      `With a site token, programs can read the site of ${project}, also if it has a password or is for members only. It can do nothing else.`,
    empty: 'Create one for each program that reads the site, such as a link checker or a search.',
    revoked: 'The site is closed to it from the next request on. This cannot be undone.',
    use: (project: string) => `What reads the site of ${project} with it, such as a link checker.`,
  },
} as const
type Kind = keyof typeof kinds

export function Component({ project }: { project: Project }) {
  return (
    <Stack gap="xl">
      <TokenList kind="deploy" project={project} canCreate />
      <TokenList kind="site" project={project} canCreate={isOwned(project)} />
      <Section title="Deploy from CI" size="h3">
        <Snippets slug={project.slug} />
      </Section>
    </Stack>
  )
}

function TokenList({
  canCreate,
  kind,
  project,
}: {
  canCreate: boolean
  kind: Kind
  project: Project
}) {
  const { empty, lead, name, revoked, scope, title } = kinds[kind]
  const tokens = useGet('GET /projects/{slug}/tokens', { select: ofScope[scope] })
  const revoke = useChange('DELETE /projects/{slug}/tokens/{tokenId}', changesOf(project.slug))
  const create = canCreate && (
    <AddButton
      label={`Create ${name}`}
      title={`Create ${name}`}
      size="lg"
      content={<TokenForm kind={kind} project={project} />}
    />
  )
  return (
    <Section
      title={title}
      size="h3"
      lead={lead(project.name)}
      actions={(tokens.data?.items.length ?? 0) > 0 && create}
    >
      <TokenRecords
        query={tokens}
        empty={
          <Empty title={`No ${name}s yet`} action={create} isFramed>
            {canCreate ? empty : 'Only the owner of the project and operators create them.'}
          </Empty>
        }
        caption={title}
        columns={[timeColumn('Created', 'createdAt', { isMinor: true, isSorted: true })]}
        nameBy={({ createdBy }) => createdBy.name}
        revoke={(tokenId) => revoke.mutateAsync({ params: { tokenId } })}
        revoked={revoked}
      />
    </Section>
  )
}

type Tokens = Answer<'GET /projects/{slug}/tokens'>
const select =
  (scope: Tokens['items'][number]['scopes'][number]) =>
  ({ items }: Tokens): Tokens => ({ items: items.filter(({ scopes }) => scopes.includes(scope)) })
/** Each is one function, so that a list is selected only when it has changed. */
const ofScope = { 'project:deploy': select('project:deploy'), 'site:read': select('site:read') }

function TokenForm({ kind, project }: { kind: Kind; project: Project }) {
  const { slug } = project
  const { name, scope, use } = kinds[kind]
  const create = useChange('POST /projects/{slug}/tokens', changesOf(slug))
  const { field, form } = useForm({
    initial: { label: '', expiresInDays: '90' },
    send: ({ expiresInDays, label }) =>
      create.mutateAsync({ body: { label, scope, expiresInDays: Number(expiresInDays) } }),
  })
  if (create.data) {
    return (
      <ShownOnce what={name} secret={create.data.token}>
        {kind === 'deploy' ? (
          <Snippets slug={slug} token={create.data.token} />
        ) : (
          <CopyBlock
            text={`curl -H 'Authorization: Bearer ${create.data.token}' ${addressOf(project)}`}
            what="the command for curl"
          />
        )}
      </ShownOnce>
    )
  }
  return (
    <Form verb="Create token" {...form}>
      <TextField {...field('label', 'Name', use(project.name))} />
      <SelectField {...field('expiresInDays', 'Expires')} data={tokenLifetimes} />
    </Form>
  )
}

function Snippets({ slug, token }: { slug: string; token?: string }) {
  const snippets = snippetsOf(location.origin, slug, token)
  return (
    <Tabs defaultValue={idOf('GitHub Actions')} keepMounted={false}>
      <Tabs.List>
        {snippets.map(({ tool }) => (
          <Tabs.Tab key={tool} value={idOf(tool)}>
            {tool}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {snippets.map(({ lead, text, tool }) => (
        <Tabs.Panel key={tool} value={idOf(tool)} pt="sm">
          <Stack gap="xs">
            <Text size="sm">{lead}</Text>
            <CopyBlock text={text} what={`the commands for ${tool}`} />
          </Stack>
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}

/** Ids in the page have no spaces. */
const idOf = (tool: string): string => tool.replaceAll(' ', '-')
