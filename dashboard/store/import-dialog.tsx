// Imports a file of animals: it is checked first, without writing anything, and what it would do is shown.
import { Alert, Button, Group, NativeSelect, Progress, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type DragEvent, useEffect, useRef, useState } from 'react'
import { maxBytes, maxRecords } from '../../server/store/operators/import-limits.ts'
import type { ImportOfAnimals } from '../../server/store/operators/transfer-schema.ts'
import { Dialog } from '../components/dialog.tsx'
import { UploadIcon } from '../components/icons.tsx'
import { explain, path } from '../platform/api.ts'
import { bytes, count, counted } from '../platform/numbers.ts'
import { sendFile } from '../platform/send-file.ts'
import type { EnvironmentName } from '../shell/navigation.tsx'
import { environmentKey } from './environment-queries.ts'
import classes from './import-dialog.module.css'
import { type Form, formOfName, forms, mediaTypes } from './import-forms.ts'
import { ImportPreview } from './import-preview.tsx'

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
  form: Form
}

function Import({ close, environment }: { environment: EnvironmentName; close: () => void }) {
  const [chosen, setChosen] = useState<Chosen>()
  const [share, setShare] = useState<number>()
  const [found, setFound] = useState<ImportOfAnimals>()
  const [fault, setFault] = useState<string>()
  const underWay = useRef<AbortController>(undefined)
  const client = useQueryClient()
  // A dialog that is closed sends nothing more.
  useEffect(() => () => underWay.current?.abort(), [])

  async function send({ file, form }: Chosen, dryRun: boolean, keepGoing: boolean): Promise<void> {
    underWay.current?.abort()
    const controller = new AbortController()
    underWay.current = controller
    setFault(undefined)
    setShare(0)
    try {
      const query = `?dryRun=${dryRun}&keepGoing=${keepGoing}`
      const route = path`/store/${environment}/animals/import`
      const sending = { mediaType: mediaTypes[form], onProgress: setShare }
      const { signal } = controller
      setFound(await sendFile<ImportOfAnimals>(`${route}${query}`, file, { ...sending, signal }))
    } catch (error) {
      if (!controller.signal.aborted) setFault(explain(error))
    } finally {
      if (underWay.current === controller) setShare(undefined)
    }
    if (!dryRun) await client.invalidateQueries({ queryKey: environmentKey(environment) })
  }

  function take(file: File | undefined, form?: Form): void {
    if (!file) return
    setFound(undefined)
    setChosen(undefined)
    if (file.size > maxBytes) {
      setFault(
        `${file.name} has ${bytes(file.size)}; at most 8 MiB go at once. The command animals import takes more.`,
      )
      return
    }
    const wanted = { file, form: form ?? formOfName(file.name) }
    setChosen(wanted)
    void send(wanted, true, true)
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
          value={chosen.form}
          data={forms}
          onChange={(event) => take(chosen.file, event.currentTarget.value as Form)}
        />
      )}
      {share !== undefined && (
        <Stack gap={4} role="status">
          <Text size="sm">
            {share < 1
              ? `Sending, ${Math.round(share * 100)} %`
              : found
                ? 'Importing'
                : 'Checking every record'}
          </Text>
          <Progress
            value={share * 100}
            animated={share === 1}
            aria-label={share < 1 ? 'Sent' : 'At work'}
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
            CSV with a header line, a JSON array, or NDJSON; with name, categoryId and, if you like,
            status. At most {count(maxRecords)} animals in 8 MiB. It is checked before anything is
            written.
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
          // The same file, mended, can be chosen again.
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
          ? 'All of the file is in.'
          : `${counted(rejected, 'record')} with problems ${rejected === 1 ? 'was' : 'were'} passed over.`}
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
