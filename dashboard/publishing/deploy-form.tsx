// Deploy: a folder or an archive dropped here, with its progress; or by the command line.
import { Alert, Anchor, Button, Group, Progress, Stack, Text, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type DragEvent, useRef, useState } from 'react'
import { useAnnounce } from '../components/announcements.tsx'
import { CopyBlock } from '../components/copy.tsx'
import { UploadIcon } from '../components/icons.tsx'
import { explain } from '../platform/api.ts'
import { noticeRefusal } from '../platform/session.ts'
import classes from './deploy-form.module.css'
import { type Chosen, readChosen, readDropped } from './dropped-files.ts'
import { projectKey } from './project-queries.ts'
import { canSendFolders, type Progress as Sent, sendArchive, sendFolder } from './upload-deploy.ts'

const words: Record<Sent['step'], string> = {
  reading: 'Reading the files',
  sending: 'Sending',
  creating: 'Creating the deploy',
}

export function DeployForm({ slug }: { slug: string }) {
  const [sent, setSent] = useState<Sent>()
  const [fault, setFault] = useState<string>()
  const [isOver, setOver] = useState(false)
  const underWay = useRef<AbortController>(undefined)
  const folderInput = useRef<HTMLInputElement>(null)
  const archiveInput = useRef<HTMLInputElement>(null)
  const announce = useAnnounce()
  const client = useQueryClient()

  async function deploy(chosen: Chosen | undefined): Promise<void> {
    setFault(undefined)
    if (!chosen) return setFault('Choose a folder, a .zip or a .tar.gz.')
    if ('files' in chosen && chosen.files.size === 0) return setFault('The folder is empty.')
    if ('files' in chosen && !canSendFolders) {
      return setFault('A folder can be sent over HTTPS only. Send an archive instead.')
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
      announce({ text: `Deploy ${number} is being built.` })
    } catch (error) {
      noticeRefusal(error)
      if (!controller.signal.aborted) setFault(explain(error))
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
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the buttons in it do the same */}
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
              Markdown, an OpenAPI document, or a finished site. What is published stays until the
              new deploy is ready.
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
      {fault && (
        <Alert color="red" mt="sm" role="alert">
          {fault}
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
            With a token of yours in ANIMAL_STORE_TOKEN; on the server's own machine the last line
            is enough.
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
