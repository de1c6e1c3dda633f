// Deploys a folder or an archive that is dropped or chosen, or shows the command for it.
import { Alert, Anchor, Button, Group, Progress, Stack, Text, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type DragEvent, useRef, useState } from 'react'
import { useAnnounce } from '../components/announcements.tsx'
import { CopyBlock } from '../components/copy.tsx'
import { UploadIcon } from '../components/icons.tsx'
import { explain } from '../platform/api.ts'
import { noticeError } from '../platform/session.ts'
import classes from './deploy-form.module.css'
import { type Chosen, readChosen, readDropped } from './dropped-files.ts'
import { projectKey } from './project-queries.ts'
import {
  canSendFolders,
  sendArchive,
  sendFolder,
  type Progress as UploadProgress,
} from './upload-deploy.ts'

const words: Record<UploadProgress['step'], string> = {
  reading: 'Reading files',
  sending: 'Uploading',
  creating: 'Creating the deploy',
}

export function DeployForm({ slug }: { slug: string }) {
  const [sent, setSent] = useState<UploadProgress>()
  const [problem, setProblem] = useState<string>()
  const [isOver, setOver] = useState(false)
  const underWay = useRef<AbortController>(undefined)
  const folderInput = useRef<HTMLInputElement>(null)
  const archiveInput = useRef<HTMLInputElement>(null)
  const announce = useAnnounce()
  const client = useQueryClient()

  async function deploy(chosen: Chosen | undefined): Promise<void> {
    setProblem(undefined)
    if (!chosen) return setProblem('Choose a folder, or a .zip or .tar.gz file.')
    if ('files' in chosen && chosen.files.size === 0) return setProblem('The folder is empty.')
    if ('files' in chosen && !canSendFolders) {
      return setProblem('Folders can only be deployed over HTTPS. Choose a .zip or .tar.gz file.')
    }
    const controller = new AbortController()
    underWay.current = controller
    const sending = { slug, onProgress: setSent, signal: controller.signal }
    setSent({ step: 'reading', share: 0 })
    try {
      const { number } =
        'archive' in chosen
          ? await sendArchive(chosen.archive, sending)
          : await sendFolder(chosen.files, sending)
      announce({ text: `Building deploy ${number}.` })
    } catch (error) {
      noticeError(error)
      if (!controller.signal.aborted) setProblem(explain(error))
    } finally {
      setSent(undefined)
      await client.invalidateQueries({ queryKey: projectKey(slug) })
    }
  }

  function drop(event: DragEvent): void {
    event.preventDefault()
    setOver(false)
    void readDropped(event.dataTransfer.items).then(deploy)
  }

  return (
    <section>
      <Title order={2} size="h4" mb="sm">
        Deploy
      </Title>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: its buttons do the same */}
      <div
        className={classes.area}
        data-over={isOver}
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        {sent ? (
          <Stack gap="xs" w="100%" role="status">
            <Group justify="space-between">
              <Text>
                {words[sent.step]}, {Math.round(sent.share * 100)} %
              </Text>
              <Button
                size="compact-sm"
                variant="default"
                onClick={() => underWay.current?.abort(new Error('cancelled'))}
              >
                Cancel
              </Button>
            </Group>
            <Progress value={sent.share * 100} aria-label={words[sent.step]} />
          </Stack>
        ) : (
          <Stack gap="xs" align="center">
            <UploadIcon size={26} />
            <Text ta="center">Drop a folder or an archive here, or choose one.</Text>
            <Group gap="xs" justify="center">
              <Button variant="default" onClick={() => folderInput.current?.click()}>
                Choose a folder
              </Button>
              <Button variant="default" onClick={() => archiveInput.current?.click()}>
                Choose an archive
              </Button>
            </Group>
            <Text size="sm" c="dimmed" ta="center">
              Markdown, an OpenAPI document, or a finished site. The current deploy stays live until
              the new one is ready.
            </Text>
          </Stack>
        )}
      </div>
      <input
        type="file"
        hidden
        ref={folderInput}
        aria-label="Folder to deploy"
        {...{ webkitdirectory: '' }}
        onChange={(event) => {
          void deploy(readChosen(event.currentTarget.files as FileList))
          event.currentTarget.value = ''
        }}
      />
      <input
        type="file"
        hidden
        ref={archiveInput}
        aria-label="Archive to deploy"
        accept=".zip,.tgz,.tar.gz,application/zip,application/gzip"
        onChange={(event) => {
          void deploy(readChosen(event.currentTarget.files as FileList))
          event.currentTarget.value = ''
        }}
      />
      {problem && (
        <Alert color="red" mt="sm" role="alert">
          {problem}
        </Alert>
      )}
      <ByCommand slug={slug} />
    </section>
  )
}

function ByCommand({ slug }: { slug: string }) {
  const [isShown, setShown] = useState(false)
  return (
    <Stack gap="xs" mt="sm">
      <Anchor
        component="button"
        type="button"
        size="sm"
        ta="left"
        w="fit-content"
        aria-expanded={isShown}
        onClick={() => setShown(!isShown)}
      >
        Deploy from the command line
      </Anchor>
      {isShown && (
        <>
          <Text size="sm" c="dimmed">
            Set ANIMAL_STORE_TOKEN to an access token first. On the server itself, the last line is
            enough.
          </Text>
          <CopyBlock
            what="the commands"
            text={`export ANIMAL_STORE_URL=${location.origin}\n./animal-store deploy ./docs --project ${slug}`}
          />
        </>
      )}
    </Stack>
  )
}
