// Imports a file of animals. A dry run comes first, and shows what the import would do.
import { Alert, Button, Group, NativeSelect, Progress, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type DragEvent, useEffect, useRef, useState } from 'react'
import { maxImportBytes, maxImportRecords } from '../../client/limits.ts'
import { Dialog } from '../components/dialog.tsx'
import { UploadIcon } from '../components/icons.tsx'
import { createUploadClient, explain } from '../platform/api.ts'
import type { EnvironmentName } from '../platform/environment.ts'
import { bytes, count, counted } from '../platform/numbers.ts'
import { environmentKey } from './environment-queries.ts'
import classes from './import-dialog.module.css'
import { type ImportOfAnimals, ImportPreview } from './import-preview.tsx'

type Format = 'csv' | 'json' | 'ndjson'

const formats: { value: Format; label: string }[] = [
  { value: 'csv', label: 'CSV' },
  { value: 'json', label: 'JSON' },
  { value: 'ndjson', label: 'NDJSON' },
]

const mediaTypes: Record<Format, string> = {
  csv: 'text/csv',
  json: 'application/json',
  ndjson: 'application/x-ndjson',
}

/** CSV for a name that says nothing. */
function formatOfName(name: string): Format {
  const extension = name.split('.').at(-1)?.toLowerCase()
  if (extension === 'json') return 'json'
  return extension === 'ndjson' || extension === 'jsonl' ? 'ndjson' : 'csv'
}

interface ImportDialogProps {
  environment: EnvironmentName
  opened: boolean
  close: () => void
}

export function ImportDialog({ close, environment, opened }: ImportDialogProps) {
  return (
    <Dialog opened={opened} close={close} title={`Import animals into ${environment}`} size="lg">
      <Import environment={environment} close={close} />
    </Dialog>
  )
}

interface Chosen {
  file: File
  format: Format
}

function Import({ close, environment }: { environment: EnvironmentName; close: () => void }) {
  const [chosen, setChosen] = useState<Chosen>()
  const [share, setShare] = useState<number>()
  const [found, setFound] = useState<ImportOfAnimals>()
  const [fault, setFault] = useState<string>()
  const underWay = useRef<AbortController>(undefined)
  const client = useQueryClient()
  // Closing the dialog stops the upload.
  useEffect(() => () => underWay.current?.abort(), [])

  async function send(
    { file, format }: Chosen,
    dryRun: boolean,
    keepGoing: boolean,
  ): Promise<void> {
    underWay.current?.abort()
    const controller = new AbortController()
    underWay.current = controller
    setFault(undefined)
    setShare(0)
    try {
      const type = mediaTypes[format]
      const imported = await createUploadClient(setShare).call(
        'POST /store/{environment}/animals/import',
        {
          params: { environment },
          query: { dryRun: `${dryRun}`, keepGoing: `${keepGoing}` },
          upload: file.slice(0, undefined, type),
          type,
          signal: controller.signal,
        },
      )
      setFound(imported)
    } catch (error) {
      if (!controller.signal.aborted) setFault(explain(error))
    } finally {
      if (underWay.current === controller) setShare(undefined)
    }
    if (!dryRun) await client.invalidateQueries({ queryKey: environmentKey(environment) })
  }

  function take(file: File | undefined, format?: Format): void {
    if (!file) return
    setFound(undefined)
    setChosen(undefined)
    if (file.size > maxImportBytes) {
      setFault(
        `${file.name} has ${bytes(file.size)}; the limit is 8 MiB. Use the command animals import for larger files.`,
      )
      return
    }
    const next = { file, format: format ?? formatOfName(file.name) }
    setChosen(next)
    void send(next, true, true)
  }

  if (found && !found.dryRun && chosen) {
    return <Result found={found} close={close} again={() => setFound(undefined)} />
  }
  return (
    <Stack>
      <FileChoice chosen={chosen?.file} take={take} />
      {chosen && (
        <NativeSelect
          label="Format"
          value={chosen.format}
          data={formats}
          onChange={(event) => take(chosen.file, event.currentTarget.value as Format)}
        />
      )}
      {share !== undefined && (
        <Stack gap={4} role="status">
          <Text size="sm">
            {share < 1
              ? `Uploading, ${Math.round(share * 100)} %`
              : found
                ? 'Importing'
                : 'Checking'}
          </Text>
          <Progress
            value={share * 100}
            animated={share === 1}
            aria-label={share < 1 ? 'Uploaded' : 'Working'}
          />
        </Stack>
      )}
      {fault && (
        <Alert color="red" role="alert">
          {fault}
        </Alert>
      )}
      {found && chosen && (
        <ImportPreview
          found={found}
          isSending={share !== undefined}
          close={close}
          importAll={(keepGoing) => void send(chosen, false, keepGoing)}
        />
      )}
    </Stack>
  )
}

function FileChoice({
  chosen,
  take,
}: {
  chosen: File | undefined
  take: (file: File | undefined) => void
}) {
  const input = useRef<HTMLInputElement>(null)
  const [isOver, setOver] = useState(false)

  function drop(event: DragEvent): void {
    event.preventDefault()
    setOver(false)
    take(event.dataTransfer.files[0])
  }

  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the button in it does the same */}
      <div
        className={classes.area}
        data-over={isOver}
        data-chosen={chosen !== undefined}
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        {!chosen && <UploadIcon size={22} />}
        <Text ta="center">
          {chosen ? `${chosen.name}, ${bytes(chosen.size)}` : 'Drop a file here, or choose one.'}
        </Text>
        <Button variant="default" size="sm" onClick={() => input.current?.click()}>
          {chosen ? 'Choose another file' : 'Choose a file'}
        </Button>
        {!chosen && (
          <Text size="sm" c="dimmed" ta="center">
            CSV with a header line, a JSON array, or NDJSON, with name, categoryId and optionally
            status. Up to {count(maxImportRecords)} animals in 8 MiB. The file is checked before
            anything is imported.
          </Text>
        )}
      </div>
      <input
        type="file"
        hidden
        ref={input}
        aria-label="File to import"
        accept=".csv,.json,.ndjson,.jsonl,text/csv,application/json,application/x-ndjson"
        onChange={(event) => {
          take(event.currentTarget.files?.[0])
          // The same file can be chosen again after it was fixed.
          event.currentTarget.value = ''
        }}
      />
    </>
  )
}

function Result({
  again,
  close,
  found: { imported, rejected },
}: {
  found: ImportOfAnimals
  close: () => void
  again: () => void
}) {
  return (
    <Stack>
      <Alert color="leaf" role="status" title={`${counted(imported, 'animal')} imported`}>
        {rejected === 0
          ? 'All records of the file were imported.'
          : `${counted(rejected, 'record')} with problems ${rejected === 1 ? 'was' : 'were'} skipped.`}
      </Alert>
      <Group justify="flex-end">
        <Button variant="default" onClick={again}>
          Import more
        </Button>
        <Button onClick={close}>Done</Button>
      </Group>
    </Stack>
  )
}
