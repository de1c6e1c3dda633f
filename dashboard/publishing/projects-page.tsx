// The projects of the account, and those that it may see: where they are published, and since when.
import {
  Anchor,
  Badge,
  Button,
  Group,
  Modal,
  Paper,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { Link, useNavigate } from 'react-router'
import type { Project } from '../../server/publishing/projects/schema.ts'
import { ExternalIcon, PlusIcon } from '../components/icons.tsx'
import { Page } from '../components/page.tsx'
import { Empty, Failed, Loading } from '../components/states.tsx'
import { Ago } from '../components/time.tsx'
import { explain, Refusal } from '../platform/api.ts'
import { FirstSteps } from './first-steps.tsx'
import { useCreateProject, useProjects } from './project-queries.ts'
import classes from './projects-page.module.css'
import { shownAddress } from './shown-address.ts'

export function Component() {
  const projects = useProjects()
  const [isCreating, setCreating] = useState(false)
  const found = projects.data?.pages.flatMap(({ items }) => items)
  const create = (
    <Button leftSection={<PlusIcon />} onClick={() => setCreating(true)} data-shortcut="new">
      New project
    </Button>
  )
  return (
    <Page
      title="Projects"
      lead="Documentation that is published here, each at an address of its own."
      actions={found && found.length > 0 && create}
    >
      {!found && projects.error && (
        <Failed error={projects.error} retry={() => void projects.refetch()} />
      )}
      {!found && !projects.error && <Loading rows={3} height={110} />}
      {found?.length === 0 && (
        <Empty title="You have no project yet" action={create}>
          A project is a folder of documentation: Markdown, an OpenAPI document, or the output of a
          site generator.
        </Empty>
      )}
      {found && found.length > 0 && (
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
          {found.map((project) => (
            <ProjectCard key={project.id} project={project} />
          ))}
        </SimpleGrid>
      )}
      {projects.hasNextPage && (
        <Group justify="center" mt="md">
          <Button
            variant="default"
            loading={projects.isFetchingNextPage}
            onClick={() => void projects.fetchNextPage()}
          >
            Show more
          </Button>
        </Group>
      )}
      <FirstSteps />
      <NewProject opened={isCreating} close={() => setCreating(false)} />
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
        {liveDeploy ? (
          <Badge variant="light" tt="none" className={classes.state ?? ''}>
            Published
          </Badge>
        ) : (
          <Badge variant="light" color="gray" tt="none" className={classes.state ?? ''}>
            Nothing published
          </Badge>
        )}
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

function NewProject({ close, opened }: { opened: boolean; close: () => void }) {
  const [name, setName] = useState('')
  const [slug, setSlug] = useState('')
  const create = useCreateProject()
  const navigate = useNavigate()
  const details = create.error instanceof Refusal ? create.error.details : []
  const problem = (field: string) => details.find(({ path }) => path === field)?.message
  const other = create.error && details.length === 0 ? explain(create.error) : undefined

  function submit(event: FormEvent): void {
    event.preventDefault()
    create.mutate(
      { name, ...(slug === '' ? {} : { slug }) },
      { onSuccess: (made) => void navigate(`/projects/${made.slug}`) },
    )
  }

  return (
    <Modal
      opened={opened}
      onClose={close}
      title="New project"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form onSubmit={submit} noValidate>
        <Stack>
          <TextInput
            label="Name"
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={problem('name')}
            autoComplete="off"
            data-autofocus
          />
          <TextInput
            label="Address"
            description="The first label of its address; made of the name when it is left empty."
            value={slug}
            onChange={(event) => setSlug(event.currentTarget.value)}
            error={problem('slug')}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
          />
          {other && (
            <Text c="red" role="alert">
              {other}
            </Text>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" loading={create.isPending}>
              Create project
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
