// Deploys a folder or an archive that is dropped or chosen, to the site or to a preview, or shows the command.
import {
  Alert,
  Button,
  Group,
  Progress,
  SegmentedControl,
  SimpleGrid,
  Stack,
  Text,
} from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useContext, useRef, useState } from 'react'
import { ManagementError } from '../../client/management-client.ts'
import { proposePreviewName, randomPreviewName } from '../../client/preview-name.ts'
import {
  maxDeployFileBytes,
  maxDeployFiles,
  maxDeployMessageLength,
} from '../../client/values/limits.ts'
import { DialogButton, useKeptOpen } from '../components/actions.tsx'
import { CopyBlock } from '../components/copy.tsx'
import { DialogContext, NewPasswordField, TextField } from '../components/form.tsx'
import { UploadIcon } from '../components/icons.tsx'
import { DropArea, FileButton } from '../components/inputs.tsx'
import { Disclosure, Note } from '../components/values.tsx'
import { announce } from '../platform/announcements.ts'
import { call, createUploadClient, explain } from '../platform/api.ts'
import { handleError } from '../platform/session.ts'
import { type Deploy, isEditable, type Project, projectQueries } from './project-queries.ts'

const stepTitles: Record<UploadProgress['step'], string> = {
  reading: 'Reading files',
  sending: 'Uploading',
  creating: 'Creating the deploy',
}

/** In a dialog, a preview can be chosen instead of the site. Elsewhere it is the form for the first deploy. */
export function DeployForm({ slug }: { slug: string }) {
  const dialog = useContext(DialogContext)
  const [sent, setSent] = useState<UploadProgress>()
  const [problem, setProblem] = useState<string>()
  const [target, setTarget] = useState<PreviewTarget>()
  const [message, setMessage] = useState('')
  const current = useRef<AbortController>(undefined)
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
      dialog?.close()
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
      {dialog && (
        <PreviewFields
          slug={slug}
          target={target}
          setTarget={setTarget}
          isDisabled={sent !== undefined}
        />
      )}
      {/* The first deploy needs no description. */}
      {dialog && (
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
            <Note ta="center">
              Markdown, an OpenAPI document, or a finished site.
              {dialog && !target && ' The current deploy stays live until the new one is ready.'}
            </Note>
          </Stack>
        )}
      </DropArea>
      {problem && (
        <Alert color="red" role="alert">
          {problem}
        </Alert>
      )}
      <Disclosure label="Deploy from the command line">
        <Note>
          Set ANIMAL_STORE_TOKEN to an access token first. On the server itself, the last line is
          enough.
        </Note>
        <CopyBlock
          what="the commands"
          text={`export ANIMAL_STORE_URL=${location.origin}\n./animal-store deploy ./docs --project ${slug}`}
        />
      </Disclosure>
    </Stack>
  )
}

/** What a user dropped or chose: an archive, or a folder with all its files by their path. */
type Chosen = { archive: File } | { files: Map<string, File> }

const archives = /\.(zip|tgz|tar\.gz)$/i

/** Undefined for anything else. */
async function readDropped(items: DataTransferItemList): Promise<Chosen | undefined> {
  // The list is emptied once the event handler returns.
  const entries = [...items].flatMap((item) => item.webkitGetAsEntry() ?? [])
  const [first, ...others] = entries
  if (!first) return undefined
  if (others.length === 0 && first.isFile) {
    const file = await fileOf(first as FileSystemFileEntry)
    if (archives.test(file.name)) return { archive: file }
  }
  const files = new Map<string, File>()
  const isOneFolder = others.length === 0 && first.isDirectory
  for (const entry of entries) await walk(entry, isOneFolder ? '' : entry.name, files)
  return { files }
}

/** From an input with `webkitdirectory`, or for an archive. */
function readChosen(list: FileList): Chosen | undefined {
  const [first] = list
  if (!first) return undefined
  if (list.length === 1 && archives.test(first.name)) return { archive: first }
  const files = new Map<string, File>()
  for (const file of list) {
    const [, ...below] = file.webkitRelativePath.split('/')
    const name = below.length > 0 ? below.join('/') : file.name
    if (!isSkipped(name)) files.set(name, file)
  }
  return { files }
}

async function walk(entry: FileSystemEntry, name: string, files: Map<string, File>): Promise<void> {
  if (files.size >= maxDeployFiles) return
  if (entry.isFile) {
    if (!isSkipped(name)) files.set(name, await fileOf(entry as FileSystemFileEntry))
    return
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    if (some.length === 0) return
    for (const each of some) {
      await walk(each, name === '' ? each.name : `${name}/${each.name}`, files)
    }
  }
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject))
}

/** Files of operating systems and tools. The command line skips the same. */
function isSkipped(name: string): boolean {
  return /(^|\/)(\.git|\.svn|node_modules|__MACOSX)\/|(^|\/)(\.DS_Store|Thumbs\.db)$/.test(name)
}

/** The preview that a deploy goes to instead of the site. Both are as they are typed, and may be empty. */
interface PreviewTarget {
  name: string
  password: string
}

/** Creates the preview before its first deploy, so that nobody sees that without the password. Returns its name. */
async function preparePreview(slug: string, { name, password }: PreviewTarget): Promise<string> {
  const preview = name.trim() === '' ? randomPreviewName() : proposePreviewName(name)
  const body = password === '' ? {} : { password }
  await call('PUT /projects/{slug}/previews/{preview}', { params: { slug, preview }, body })
  return preview
}

function PreviewFields({
  isDisabled,
  setTarget,
  slug,
  target,
}: {
  slug: string
  /** Undefined: the site. */
  target: PreviewTarget | undefined
  setTarget: (target: PreviewTarget | undefined) => void
  isDisabled: boolean
}) {
  return (
    <Stack gap="sm" mb="md">
      <SegmentedControl
        aria-label="Deploy to"
        fullWidth
        disabled={isDisabled}
        value={target ? 'preview' : 'site'}
        onChange={(value) => setTarget(value === 'site' ? undefined : { name: '', password: '' })}
        data={[
          { value: 'site', label: 'Site' },
          { value: 'preview', label: 'Preview' },
        ]}
      />
      {target && (
        <>
          <Note>
            A preview has an address of its own. Visitors of the site do not see it until you
            promote it.
          </Note>
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <TextField
              name="preview"
              label="Name (optional)"
              description={`${proposePreviewName(target.name) || '…'}--${slug}`}
              placeholder="Random"
              value={target.name}
              onChange={(name) => setTarget({ ...target, name })}
              disabled={isDisabled}
              spellCheck={false}
            />
            <NewPasswordField
              name="password"
              label="Password (optional)"
              value={target.password}
              onChange={(password) => setTarget({ ...target, password })}
            />
          </SimpleGrid>
        </>
      )}
    </Stack>
  )
}

/** The button that opens the form, also with the key n. Not for viewers. */
export function DeployButton({ project }: { project: Project }) {
  const { slug } = project
  if (!isEditable(project)) return null
  return (
    <DialogButton
      title="Deploy"
      size="lg"
      leftSection={<UploadIcon />}
      hasKey
      content={<DeployForm slug={slug} />}
    />
  )
}

interface UploadProgress {
  step: 'reading' | 'sending' | 'creating'
  /** From 0 to 1. */
  share: number
}

interface Upload {
  slug: string
  /** The name of a preview instead of the site. */
  preview: string | undefined
  /** What changes; empty for none. */
  message: string
  onProgress: (progress: UploadProgress) => void
  signal: AbortSignal
}

const type = 'application/octet-stream'
const maxConcurrentFiles = 4

/** Browsers hash files over HTTPS and on localhost only. */
const canSendFolders = globalThis.crypto?.subtle !== undefined

/** A .zip or .tar.gz. Throws a ManagementError. */
function sendArchive(file: File, upload: Upload): Promise<Deploy> {
  const { onProgress, signal, slug } = upload
  const client = createUploadClient((share) => onProgress({ step: 'sending', share }))
  return client.call('POST /projects/{slug}/archives', {
    params: { slug },
    query: choicesOf(upload),
    upload: file.slice(0, undefined, type),
    type,
    signal,
  })
}

/**
 * Files by their path in the folder, of which only those are sent that the server does not have yet. Throws a
 * ManagementError.
 */
async function sendFolder(files: ReadonlyMap<string, File>, sending: Upload): Promise<Deploy> {
  const { onProgress, signal, slug } = sending
  const hashes = new Map<string, string>()
  for (const [name, file] of files) {
    signal.throwIfAborted()
    if (file.size > maxDeployFileBytes) {
      const message = `${name} is larger than 50 MB.`
      throw new ManagementError({ status: 413, code: 'body_too_large', message })
    }
    hashes.set(name, await hashOf(file))
    onProgress({ step: 'reading', share: hashes.size / files.size })
  }
  const { missing } = await call('POST /projects/{slug}/files/missing', {
    params: { slug },
    body: { hashes: [...new Set(hashes.values())] },
    signal,
  })
  const byHash = new Map([...hashes].map(([name, hash]) => [hash, files.get(name) as File]))
  const client = createUploadClient()
  let sent = 0
  const queue = [...missing]
  async function work(): Promise<void> {
    for (let hash = queue.shift(); hash !== undefined; hash = queue.shift()) {
      const upload = (byHash.get(hash) as File).slice(0, undefined, type)
      const params = { slug, hash }
      await client.call('PUT /projects/{slug}/files/{hash}', { params, upload, type, signal })
      sent++
      onProgress({ step: 'sending', share: sent / missing.length })
    }
  }
  await Promise.all(Array.from({ length: maxConcurrentFiles }, work))
  onProgress({ step: 'creating', share: 1 })
  return await call('POST /projects/{slug}/deploys', {
    params: { slug },
    body: { ...choicesOf(sending), files: [...hashes].map(([path, hash]) => ({ path, hash })) },
    signal,
  })
}

/** The message and the preview, without those that were not chosen. */
function choicesOf({ message, preview }: Upload): { message?: string; preview?: string } {
  const text = message.trim()
  return { ...(text !== '' && { message: text }), ...(preview !== undefined && { preview }) }
}

async function hashOf(file: File): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', await file.arrayBuffer())
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
