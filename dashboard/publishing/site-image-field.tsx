// The logo or favicon of a site: an uploaded file, shown on the surfaces of both themes of the site, or the path of one in
// the deploy. An upload is applied at once.
import { Group, Input, Text } from '@mantine/core'
import { useState } from 'react'
import { type Answer, addressOf } from '../../client/management-client.ts'
import { ActionButton } from '../components/action-buttons.tsx'
import { useAnnounce } from '../components/announcements.tsx'
import { FileButton } from '../components/drop-area.tsx'
import { TextField, type TextFieldProps } from '../components/fields.tsx'
import { explain } from '../platform/api.ts'
import { bytes } from '../platform/numbers.ts'
import { useChange, useSlug } from '../platform/requests.ts'
import { projectQueries } from './project-queries.ts'
import classes from './site-image-field.module.css'

type Image = NonNullable<Answer<'GET /projects/{slug}/site-settings'>['images']['logo']>

const accepted = { logo: '.svg,.png,.webp,.jpg,.jpeg', favicon: '.svg,.png,.ico' }
/** The server decides what an image is. */
const maxBytes = 1024 * 1024
const type = 'application/octet-stream'

interface SiteImageFieldProps extends TextFieldProps {
  name: keyof typeof accepted
  image: Image | null
}

export function SiteImageField({ image, name, ...field }: SiteImageFieldProps) {
  const slug = useSlug()
  const { label: title } = field
  const announce = useAnnounce()
  const upload = useChange('PUT /projects/{slug}/site-images/{image}', projectQueries(slug))
  const remove = useChange('DELETE /projects/{slug}/site-images/{image}', projectQueries(slug))
  const [problem, setProblem] = useState<string>()
  const params = { slug, image: name }

  async function send([file]: FileList): Promise<void> {
    if (!file) return
    setProblem(undefined)
    if (file.size > maxBytes) {
      setProblem('Choose a file of at most 1 MB.')
      return
    }
    try {
      const { deploy } = await upload.mutateAsync({ params, upload: file.slice(0), type })
      announce(applied(`${title} uploaded.`, deploy))
    } catch (error) {
      setProblem(explain(error))
    }
  }

  const choose = (
    <FileButton
      label={`${title} to upload`}
      accept={accepted[name]}
      isPending={upload.isPending}
      onChoose={(files) => void send(files)}
    >
      {image ? `Replace ${name}` : `Upload ${name}`}
    </FileButton>
  )
  if (!image)
    return (
      <div>
        <TextField {...field} name={name} spellCheck={false} />
        <Group my={6}>{choose}</Group>
        {problem !== undefined && <Input.Error role="alert">{problem}</Input.Error>}
      </div>
    )
  return (
    <Input.Wrapper label={title} labelElement="div" error={problem}>
      <Group gap="sm" wrap="nowrap" mt={4}>
        {(['light', 'dark'] as const).map((theme) => (
          <span key={theme} className={classes.surface} data-theme={theme}>
            <img
              className={classes.image}
              src={addressOfImage(slug, name, image.hash)}
              alt={theme === 'light' ? `The uploaded ${name}` : ''}
            />
          </span>
        ))}
        <Text size="sm" c="dimmed">
          {describe(image)}
        </Text>
      </Group>
      <Group gap="xs" mt={8}>
        {choose}
        <ActionButton
          size="sm"
          label={`Remove the uploaded ${name}`}
          act={() => remove.mutateAsync({ params })}
          done={({ deploy }) => applied(`${title} removed.`, deploy)}
        >
          Remove
        </ActionButton>
      </Group>
    </Input.Wrapper>
  )
}

export function addressOfImage(slug: string, image: keyof typeof accepted, hash: string): string {
  const address = addressOf('GET /projects/{slug}/site-images/{image}', { params: { slug, image } })
  return `${address}?_v=${hash}`
}

function applied(done: string, deploy: number | null): string {
  return deploy === null ? done : `${done} Deploy ${deploy} applies it.`
}

/** `PNG, 32 × 32, 2 KB`. */
function describe({ height, size, type, width }: Image): string {
  const pixels = width === null ? [] : [`${width} × ${height}`]
  return [type.toUpperCase(), ...pixels, bytes(size)].join(', ')
}
