// Imports a file of animals. A dry run comes first, and shows what the import would do.
import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { Answer } from '../../client/management-client.ts'
import { maxImportBytes, maxImportRecords } from '../../client/values/limits.ts'
import { CloseDialog } from '../components/actions.tsx'
import { SelectField } from '../components/form.tsx'
import { UploadIcon } from '../components/icons.tsx'
import { DropArea, FileButton } from '../components/inputs.tsx'
import { Section } from '../components/page.tsx'
import { ScrolledTable } from '../components/records.tsx'
import { Note } from '../components/values.tsx'
import { createUploadClient, explain } from '../platform/api.ts'
import { bytes, count, counted, sentenceOf } from '../platform/formats.ts'
import { useEnvironment } from '../platform/requests.ts'
import { queriesOf } from './store-queries.ts'

type ImportOfAnimals = Answer<'POST /store/{environment}/pets/import'>

const mediaTypes = { csv: 'text/csv', json: 'application/json', ndjson: 'application/x-ndjson' }
type Format = keyof typeof mediaTypes

/** CSV for an unknown extension. */
function formatOfName(name: string): Format {
  const extension = name.split('.').at(-1)?.toLowerCase()
  if (extension === 'json') return 'json'
  return extension === 'ndjson' || extension === 'jsonl' ? 'ndjson' : 'csv'
}

interface Chosen {
  file: File
  format: Format
}

export function Import() {
  const environment = useEnvironment()
  const [chosen, setChosen] = useState<Chosen>()
  const [progress, setProgress] = useState<number>()
  const [result, setResult] = useState<ImportOfAnimals>()
  const [problem, setProblem] = useState<string>()
  const current = useRef<AbortController>(undefined)
  const client = useQueryClient()
  // Closing the dialog stops the upload.
  useEffect(() => () => current.current?.abort(), [])

  async function send({ file, format }: Chosen, dryRun: boolean, keepGoing: boolean) {
    current.current?.abort()
    const controller = new AbortController()
    current.current = controller
    setProblem(undefined)
    setProgress(0)
    try {
      const type = mediaTypes[format]
      const imported = await createUploadClient(setProgress).call(
        'POST /store/{environment}/pets/import',
        {
          params: { environment },
          query: { dryRun: `${dryRun}`, keepGoing: `${keepGoing}` },
          upload: file.slice(0, undefined, type),
          type,
          signal: controller.signal,
        },
      )
      setResult(imported)
    } catch (error) {
      if (!controller.signal.aborted) setProblem(explain(error))
    } finally {
      if (current.current === controller) setProgress(undefined)
    }
    if (!dryRun) await client.invalidateQueries(queriesOf(environment))
  }

  function take(file: File | undefined, format?: Format): void {
    if (!file) return
    setResult(undefined)
    setChosen(undefined)
    if (file.size > maxImportBytes) {
      setProblem(
        `${file.name} has ${bytes(file.size)}; the limit is 8 MiB. Use the command animals import for larger files.`,
      )
      return
    }
    const next = { file, format: format ?? formatOfName(file.name) }
    setChosen(next)
    void send(next, true, true)
  }

  if (result && !result.dryRun && chosen) {
    return <Result result={result} importMore={() => setResult(undefined)} />
  }
  const step = result ? 'Importing' : 'Checking'
  return (
    <Stack>
      <DropArea onDrop={({ files }) => take(files[0])}>
        <Stack align="center" gap="xs">
          {!chosen && <UploadIcon size={22} />}
          <Text ta="center">
            {chosen
              ? `${chosen.file.name}, ${bytes(chosen.file.size)}`
              : 'Drop a file here, or choose one.'}
          </Text>
          <FileButton
            label="File to import"
            accept=".csv,.json,.ndjson,.jsonl,text/csv,application/json,application/x-ndjson"
            onChoose={([file]) => take(file)}
          >
            {chosen ? 'Choose another file' : 'Choose a file'}
          </FileButton>
          {!chosen && (
            <Note ta="center">
              CSV with a header line, a JSON array, or NDJSON, with name, categoryId and optionally
              status. Up to {count(maxImportRecords)} animals in 8 MiB. The file is checked before
              anything is imported.
            </Note>
          )}
        </Stack>
      </DropArea>
      {chosen && (
        <SelectField
          label="Format"
          value={chosen.format}
          data={Object.keys(mediaTypes).map((value) => ({ value, label: value.toUpperCase() }))}
          onChange={(format) => take(chosen.file, format)}
        />
      )}
      {progress !== undefined && (
        <Stack gap={4} role="status">
          <Text size="sm">
            {progress < 1 ? `Uploading, ${Math.round(progress * 100)} %` : step}
          </Text>
          <Progress
            value={progress * 100}
            animated={progress === 1}
            aria-label={progress < 1 ? 'Uploaded' : step}
          />
        </Stack>
      )}
      {problem && (
        <Alert color="red" role="alert">
          {problem}
        </Alert>
      )}
      {result && chosen && (
        <ImportPreview
          result={result}
          isSending={progress !== undefined}
          importAll={(keepGoing) => void send(chosen, false, keepGoing)}
        />
      )}
    </Stack>
  )
}

interface ImportPreviewProps {
  result: ImportOfAnimals
  isSending: boolean
  /** True skips records with problems. */
  importAll: (keepGoing: boolean) => void
}

/** What the import would do: how many records, the problems by line, and the first animals. */
function ImportPreview({ result, importAll, isSending }: ImportPreviewProps) {
  const { checked, first, isWhole, problemCount, problems, rejected } = result
  const good = checked - rejected
  const more = good - first.length
  const allProblems = counted(problemCount, 'problem')
  const { text, ...verdict } = summarize(result, good)
  return (
    <Stack>
      <Alert {...verdict} role={isWhole ? 'status' : 'alert'}>
        {text}
      </Alert>
      {problems.length > 0 && (
        <PreviewTable
          title={
            problemCount > problems.length
              ? `The first ${problems.length} of ${allProblems}`
              : allProblems
          }
          label="Problems"
          head={['Line', 'Field', 'Problem']}
          body={problems.map(({ line, message, path }) => [line, path, sentenceOf(path, message)])}
        />
      )}
      {first.length > 0 && (
        <PreviewTable
          title={more > 0 ? `The first ${first.length} animals` : 'The animals'}
          label="Animals to import"
          head={['Name', 'Category', 'Status']}
          body={first.map(({ categoryId, name, status }) => [name, String(categoryId), status])}
        />
      )}
      {first.length > 0 && more > 0 && <Note>and {counted(more, 'more', 'more')}</Note>}
      <Group justify="flex-end" pos="sticky" bottom={0} py={12} bg="var(--mantine-color-body)">
        <CloseDialog>Cancel</CloseDialog>
        {isWhole && good > 0 && (
          <Button variant="filled" loading={isSending} onClick={() => importAll(rejected > 0)}>
            {rejected === 0
              ? `Import ${counted(good, 'animal')}`
              : `Import ${count(good)}, skip ${count(rejected)}`}
          </Button>
        )}
      </Group>
    </Stack>
  )
}

function summarize({ checked, isWhole, rejected }: ImportOfAnimals, good: number) {
  if (!isWhole) {
    return {
      color: 'red',
      title: 'The file could not be read completely',
      text: 'Nothing can be imported. Fix the file, or choose another format.',
    }
  }
  if (checked === 0) {
    return { color: 'yellow', title: 'The file is empty', text: 'It contains no animals.' }
  }
  if (rejected === 0) {
    const title = `${counted(good, 'animal')} can be imported`
    return { color: 'leaf', title, text: 'No problems found. Nothing is imported yet.' }
  }
  return {
    color: 'yellow',
    title: `${counted(rejected, 'record')} of ${count(checked)} ${rejected === 1 ? 'has a problem' : 'have problems'}`,
    text:
      good === 0
        ? 'None can be imported. Fix the file and choose it again.'
        : `Fix the file and choose it again, or import only the ${counted(good, 'animal')} without problems. Nothing is imported yet.`,
  }
}

function PreviewTable({
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
      <ScrolledTable aria-label={label} mah="12.5rem" verticalSpacing={6} data={data} />
    </Section>
  )
}

function Result({ importMore, result }: { result: ImportOfAnimals; importMore: () => void }) {
  const { imported, rejected } = result
  return (
    <Stack>
      <Alert color="leaf" role="status" title={`${counted(imported, 'animal')} imported`}>
        {rejected === 0
          ? 'All records of the file were imported.'
          : `${counted(rejected, 'record')} with problems ${rejected === 1 ? 'was' : 'were'} skipped.`}
      </Alert>
      <Group justify="flex-end">
        <Button onClick={importMore}>Import more</Button>
        <CloseDialog variant="filled">Done</CloseDialog>
      </Group>
    </Stack>
  )
}
