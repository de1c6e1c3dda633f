// The projects that the account can see: their addresses and what is live.
import { Anchor, Badge, Group, Paper, SimpleGrid, Text, Title } from '@mantine/core'
import { Link, useNavigate } from 'react-router'
import { AddButton } from '../components/add-button.tsx'
import { TextField } from '../components/fields.tsx'
import { Form } from '../components/form.tsx'
import { ExternalIcon } from '../components/icons.tsx'
import { Page } from '../components/page.tsx'
import { Empty, LoadedPages, Loading } from '../components/states.tsx'
import { Ago } from '../components/time.tsx'
import { useForm } from '../components/use-form.ts'
import { shownAddress } from '../platform/numbers.ts'
import { useChange } from '../platform/requests.ts'
import { FirstSteps } from './first-steps.tsx'
import { type Project, projectsQueries, useProjects } from './project-queries.ts'
import classes from './projects-page.module.css'

export function Component() {
  const projects = useProjects()
  const isEmpty = !projects.data?.pages.some(({ items }) => items.length > 0)
  const create = <AddButton title="New project" content={(close) => <NewProject close={close} />} />
  return (
    <Page
      title="Projects"
      lead="Published documentation, each project at its own address."
      actions={!isEmpty && create}
    >
      <LoadedPages query={projects} loading={<Loading rows={3} height={110} />}>
        {(found) =>
          found.length === 0 ? (
            <Empty title="No projects yet" action={create}>
              A project is a folder of documentation: Markdown, an OpenAPI document, or the output
              of a site generator.
            </Empty>
          ) : (
            <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
              {found.map((project) => (
                <ProjectCard key={project.id} project={project} />
              ))}
            </SimpleGrid>
          )
        }
      </LoadedPages>
      <FirstSteps />
    </Page>
  )
}

function ProjectCard({ project }: { project: Project }) {
  const { address, liveDeploy, name, slug } = project
  return (
    <Paper withBorder p="md" className={classes.card ?? ''}>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Title order={2} size="h4">
          <Link to={`/projects/${slug}`} className={classes.cover}>
            {name}
          </Link>
        </Title>
        <Badge
          variant="light"
          color={liveDeploy ? 'leaf' : 'gray'}
          tt="none"
          className={classes.state ?? ''}
        >
          {liveDeploy ? 'Published' : 'Not published'}
        </Badge>
      </Group>
      <Anchor
        href={address}
        target="_blank"
        rel="noreferrer"
        size="sm"
        className={classes.above ?? ''}
      >
        {shownAddress(address)} <ExternalIcon size={13} />
      </Anchor>
      <Text size="sm" c="dimmed" mt="xs">
        {liveDeploy ? (
          <>
            Deploy {liveDeploy.number}, <Ago time={liveDeploy.finishedAt ?? liveDeploy.createdAt} />
          </>
        ) : (
          'Deploy a folder or an archive to publish it.'
        )}
      </Text>
    </Paper>
  )
}

function NewProject({ close }: { close: () => void }) {
  const create = useChange('POST /projects', projectsQueries)
  const navigate = useNavigate()
  const { field, form } = useForm({
    initial: { name: '', slug: '' },
    async send({ name, slug }) {
      const created = await create.mutateAsync({ body: { name, ...(slug !== '' && { slug }) } })
      await navigate(`/projects/${created.slug}`)
    },
  })
  return (
    <Form close={close} verb="Create project" {...form}>
      <TextField {...field('name')} label="Name" data-autofocus />
      <TextField
        {...field('slug')}
        label="Subdomain"
        description="The first part of the address. Leave it empty to derive it from the name."
        autoCapitalize="none"
        spellCheck={false}
      />
    </Form>
  )
}
