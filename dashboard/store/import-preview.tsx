// What an import would do: how many records, the problems by line, and the first animals.
import { Alert, Button, Group, Stack, Table, Text, Title } from '@mantine/core'
import type { Answer } from '../../client/management-client.ts'
import { count, counted } from '../platform/numbers.ts'
import classes from './import-dialog.module.css'

export type ImportOfAnimals = Answer<'POST /store/{environment}/animals/import'>

export interface ImportPreviewProps {
  found: ImportOfAnimals
  isSending: boolean
  close: () => void
  /** True skips records with problems. */
  importAll: (keepGoing: boolean) => void
}

export function ImportPreview({ close, found, importAll, isSending }: ImportPreviewProps) {
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
      title={`${counted(rejected, 'record')} of ${checked.toLocaleString('en')} ${rejected === 1 ? 'has a problem' : 'have problems'}`}
    >
      {good === 0
        ? 'None can be imported. Fix the file and choose it again.'
        : `Fix the file and choose it again, or import only the ${counted(good, 'animal')} without problems. Nothing is imported yet.`}
    </Alert>
  )
}

function Problems({ found: { problemCount, problems } }: { found: ImportOfAnimals }) {
  return (
    <section aria-labelledby="problems">
      <Title order={3} size="h6" id="problems" mb={4}>
        {problemCount > problems.length
          ? `The first ${problems.length} of ${counted(problemCount, 'problem')}`
          : counted(problemCount, 'problem')}
      </Title>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard */}
      <div className={classes.problems} tabIndex={0}>
        <Table aria-label="Problems" verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th ta="right">Line</Table.Th>
              <Table.Th>Field</Table.Th>
              <Table.Th>Problem</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {problems.map(({ line, message, path }) => (
              <Table.Tr key={`${line} ${path} ${message}`}>
                <Table.Td ta="right">{line}</Table.Td>
                <Table.Td>{path}</Table.Td>
                <Table.Td>{message}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
    </section>
  )
}

function First({ found: { checked, first, rejected } }: { found: ImportOfAnimals }) {
  const more = checked - rejected - first.length
  return (
    <section aria-labelledby="first">
      <Title order={3} size="h6" id="first" mb={4}>
        {more > 0 ? `The first ${first.length} animals` : 'The animals'}
      </Title>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard */}
      <div className={classes.problems} tabIndex={0}>
        <Table aria-label="Animals to import" verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Name</Table.Th>
              <Table.Th ta="right">Category</Table.Th>
              <Table.Th>Status</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {first.map(({ categoryId, name, status }, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: they have no ID yet, and never change places
              <Table.Tr key={i}>
                <Table.Td>{name}</Table.Td>
                <Table.Td ta="right">{String(categoryId)}</Table.Td>
                <Table.Td>{status}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
      {more > 0 && (
        <Text size="sm" c="dimmed" mt={4} className={classes.fact ?? ''}>
          and {counted(more, 'more', 'more')}
        </Text>
      )}
    </section>
  )
}
