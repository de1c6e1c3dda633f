// Where a deploy goes: to the site, or to a preview with a name and a password, which are optional.
import { SegmentedControl, SimpleGrid, Stack, Text } from '@mantine/core'
import { proposePreviewName, randomPreviewName } from '../../client/preview-name.ts'
import { NewPasswordField, TextField } from '../components/fields.tsx'
import { call } from '../platform/api.ts'

/** As they are typed. */
export interface PreviewTarget {
  name: string
  password: string
}

/** Creates the preview before its first deploy, so that nobody sees that without the password. Returns its name. */
export async function preparePreview(
  slug: string,
  { name, password }: PreviewTarget,
): Promise<string> {
  const preview = name.trim() === '' ? randomPreviewName() : proposePreviewName(name)
  const body = password === '' ? {} : { password }
  await call('PUT /projects/{slug}/previews/{preview}', { params: { slug, preview }, body })
  return preview
}

export function PreviewFields({
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
          <Text size="sm" c="dimmed">
            A preview has an address of its own. Visitors of the site do not see it until you
            promote it.
          </Text>
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
