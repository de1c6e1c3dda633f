// What an import would do: how many records, the problems by line, and the first animals.
import { Alert, Button, Group, Stack, Table, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Answer } from '../../client/management-client.ts'
import { Section } from '../components/page.tsx'
import { count, counted } from '../platform/numbers.ts'
import classes from './import-preview.module.css'

export type ImportOfAnimals = Answer<'POST /store/{environment}/animals/import'>

export function ImportPreview({
  close,
  found,
  importAll,
  isSending,
}: {
  found: ImportOfAnimals
  isSending: boolean
  close: () => void
  /** True skips records with problems. */
  importAll: (keepGoing: boolean) => void
}) {
  const { checked, isWhole, rejected } = found
  const good = checked - rejected
  return (
    <Stack>
      <Verdict found={found} good={good} />
      {found.problems.length > 0 && <Problems found={found} />}
      {found.first.length > 0 && <First found={found} />}
      <Group justify="flex-end" className={classes.end ?? ''}>
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        {isWhole && good > 0 && (
          <Button loading={isSending} onClick={() => importAll(rejected > 0)}>
            {rejected === 0
              ? `Import ${counted(good, 'animal')}`
              : `Import ${count(good)}, skip ${count(rejected)}`}
          </Button>
        )}
      </Group>
    </Stack>
  )
}

function Verdict({ found, good }: { found: ImportOfAnimals; good: number }) {
  const { checked, isWhole, rejected } = found
  if (!isWhole) {
    return (
      <Alert color="red" role="alert" title="The file could not be read completely">
        Nothing can be imported. Fix the file, or choose another format.
      </Alert>
    )
  }
  if (checked === 0) {
    return (
      <Alert color="yellow" role="status" title="The file is empty">
        It contains no animals.
      </Alert>
    )
  }
  if (rejected === 0) {
    return (
      <Alert color="leaf" role="status" title={`${counted(good, 'animal')} can be imported`}>
        No problems found. Nothing is imported yet.
      </Alert>
    )
  }
  return (
    <Alert
      color="yellow"
      role="status"
      title={`${counted(rejected, 'record')} of ${count(checked)} ${rejected === 1 ? 'has a problem' : 'have problems'}`}
    >
      {good === 0
        ? 'None can be imported. Fix the file and choose it again.'
        : `Fix the file and choose it again, or import only the ${counted(good, 'animal')} without problems. Nothing is imported yet.`}
    </Alert>
  )
}

function Problems({ found: { problemCount, problems } }: { found: ImportOfAnimals }) {
  const all = counted(problemCount, 'problem')
  return (
    <ScrolledTable
      title={problemCount > problems.length ? `The first ${problems.length} of ${all}` : all}
      label="Problems"
      head={['Line', 'Field', 'Problem']}
      body={problems.map(({ line, message, path }) => [line, path, message])}
    />
  )
}

function First({ found: { checked, first, rejected } }: { found: ImportOfAnimals }) {
  const more = checked - rejected - first.length
  return (
    <div>
      <ScrolledTable
        title={more > 0 ? `The first ${first.length} animals` : 'The animals'}
        label="Animals to import"
        head={['Name', 'Category', 'Status']}
        body={first.map(({ categoryId, name, status }) => [name, String(categoryId), status])}
      />
      {more > 0 && (
        <Text size="sm" c="dimmed" mt={4} className={classes.fact ?? ''}>
          and {counted(more, 'more', 'more')}
        </Text>
      )}
    </div>
  )
}

function ScrolledTable({
  label,
  title,
  ...data
}: {
  title: string
  label: string
  head: string[]
  body: ReactNode[][]
}) {
  return (
    <Section title={title} level={3} size="h6">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling by keyboard needs the focus */}
      <div className={classes.table} tabIndex={0}>
        <Table aria-label={label} verticalSpacing={6} data={data} />
      </div>
    </Section>
  )
}
