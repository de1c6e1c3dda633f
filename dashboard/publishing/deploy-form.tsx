// Deploys a folder or an archive that is dropped or chosen, or shows the command.
import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { maxDeployMessageLength } from '../../client/limits.ts'
import { useAnnounce } from '../components/announcements.tsx'
import { CopyBlock } from '../components/copy.tsx'
import { useKeptOpen } from '../components/dialog.tsx'
import { Disclosure } from '../components/disclosure.tsx'
import { DropArea, FileButton } from '../components/drop-area.tsx'
import { TextField } from '../components/fields.tsx'
import { UploadIcon } from '../components/icons.tsx'
import { explain } from '../platform/api.ts'
import { handleError } from '../platform/session.ts'
import { type Chosen, readChosen, readDropped } from './dropped-files.ts'
import { PreviewFields, type PreviewTarget, preparePreview } from './preview-fields.tsx'
import { projectQueries } from './project-queries.ts'
import {
  canSendFolders,
  sendArchive,
  sendFolder,
  type Progress as UploadProgress,
} from './upload-deploy.ts'

const stepTitles: Record<UploadProgress['step'], string> = {
  reading: 'Reading files',
  sending: 'Uploading',
  creating: 'Creating the deploy',
}

export function DeployForm({
  hasPreviews = false,
  onDeployed,
  slug,
}: {
  slug: string
  /** Whether a preview can be chosen instead of the site. */
  hasPreviews?: boolean
  onDeployed?: () => void
}) {
  const [sent, setSent] = useState<UploadProgress>()
  const [problem, setProblem] = useState<string>()
  const [target, setTarget] = useState<PreviewTarget>()
  const [message, setMessage] = useState('')
  const current = useRef<AbortController>(undefined)
  const announce = useAnnounce()
  const client = useQueryClient()
  // In a dialog, Escape must not hide an upload that goes on.
  useKeptOpen(sent !== undefined)

  async function deploy(chosen: Chosen | undefined): Promise<void> {
    setProblem(undefined)
    if (!chosen) return setProblem('Choose a folder, or a .zip or .tar.gz file.')
    if ('files' in chosen && chosen.files.size === 0) return setProblem('The folder is empty.')
    if ('files' in chosen && !canSendFolders) {
      return setProblem('Folders can only be deployed over HTTPS. Choose a .zip or .tar.gz file.')
    }
    const controller = new AbortController()
    current.current = controller
    setSent({ step: 'reading', share: 0 })
    try {
      const preview = target && (await preparePreview(slug, target))
      const sending = { slug, preview, message, onProgress: setSent, signal: controller.signal }
      const { number } =
        'archive' in chosen
          ? await sendArchive(chosen.archive, sending)
          : await sendFolder(chosen.files, sending)
      announce(`Deploy ${number} was uploaded.`)
      onDeployed?.()
    } catch (error) {
      handleError(error)
      if (!controller.signal.aborted) setProblem(explain(error))
    } finally {
      setSent(undefined)
      await client.invalidateQueries(projectQueries(slug))
    }
  }

  const chooseFiles = (files: FileList): void => void deploy(readChosen(files))
  return (
    <Stack gap="md">
      {hasPreviews && (
        <PreviewFields
          slug={slug}
          target={target}
          setTarget={setTarget}
          isDisabled={sent !== undefined}
        />
      )}
      {/* The first deploy needs no description. */}
      {onDeployed && (
        <TextField
          label="Message"
          description="What changes, for the list of deploys. Optional."
          maxLength={maxDeployMessageLength}
          value={message}
          onChange={setMessage}
          disabled={sent !== undefined}
        />
      )}
      <DropArea onDrop={({ items }) => void readDropped(items).then(deploy)}>
        {sent ? (
          <Stack gap="xs" w="100%" role="status">
            <Group justify="space-between">
              <Text>
                {stepTitles[sent.step]}, {Math.round(sent.share * 100)} %
              </Text>
              <Button
                size="compact-sm"
                variant="default"
                onClick={() => current.current?.abort(new Error('cancelled'))}
              >
                Cancel
              </Button>
            </Group>
            <Progress value={sent.share * 100} aria-label={stepTitles[sent.step]} />
          </Stack>
        ) : (
          <Stack gap="xs" align="center">
            <UploadIcon size={26} />
            <Text ta="center">Drop a folder or an archive here, or choose one.</Text>
            <Group gap="xs" justify="center">
              <FileButton label="Folder to deploy" webkitdirectory="" onChoose={chooseFiles}>
                Choose a folder
              </FileButton>
              <FileButton
                label="Archive to deploy"
                accept=".zip,.tgz,.tar.gz,application/zip,application/gzip"
                onChoose={chooseFiles}
              >
                Choose an archive
              </FileButton>
            </Group>
            <Text size="sm" c="dimmed" ta="center">
              Markdown, an OpenAPI document, or a finished site.
              {onDeployed &&
                !target &&
                ' The current deploy stays live until the new one is ready.'}
            </Text>
          </Stack>
        )}
      </DropArea>
      {problem && (
        <Alert color="red" role="alert">
          {problem}
        </Alert>
      )}
      <Disclosure label="Deploy from the command line">
        <Text size="sm" c="dimmed">
          Set ANIMAL_STORE_TOKEN to an access token first. On the server itself, the last line is
          enough.
        </Text>
        <CopyBlock
          what="the commands"
          text={`export ANIMAL_STORE_URL=${location.origin}\n./animal-store deploy ./docs --project ${slug}`}
        />
      </Disclosure>
    </Stack>
  )
}
