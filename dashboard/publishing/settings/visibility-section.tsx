// Who may see the site of a project. Its owner and operators change it; editors see what it is.
import { Stack, Text } from '@mantine/core'
import { Form, NewPasswordField, useForm } from '../../components/form.tsx'
import { OneOf } from '../../components/inputs.tsx'
import { Section } from '../../components/page.tsx'
import { Note, PageLink } from '../../components/values.tsx'
import { useChange } from '../../platform/requests.ts'
import { isOwned, type Project, visibilityTitles } from '../project-queries.ts'

type Visibility = Project['visibility']

const descriptions: Record<Visibility, string> = {
  public: 'Everyone with the address can see the site, and search engines can find it.',
  password: 'Visitors enter a password that you give them.',
  members:
    'Only the owner, members of this project and operators can see it. They sign in with their account.',
}

export function VisibilitySection({ project }: { project: Project }) {
  const { visibility } = project
  return (
    <Section title="Visibility" size="h3" isFramed>
      {isOwned(project) ? (
        <VisibilityForm key={visibility} project={project} />
      ) : (
        <Stack gap="xs">
          <Text fw={600}>{visibilityTitles[visibility]}</Text>
          <Text>{descriptions[visibility]}</Text>
          <Note>Only the owner of the project and operators can change this.</Note>
        </Stack>
      )}
    </Section>
  )
}

function VisibilityForm({ project: { slug, visibility: current } }: { project: Project }) {
  const change = useChange('PUT /projects/{slug}/visibility')
  const { field, form, set, values } = useForm({
    initial: { visibility: current, password: '' },
    labels: { visibility: 'Who can see the site', password: 'Password' },
    async send({ password, visibility }) {
      const body = { visibility, ...(isPassword && { password }) }
      await change.mutateAsync({ params: { slug }, body })
      set({ password: '' })
    },
    done: () => 'Saved. It applies at every address of the site.',
  })
  const isPassword = values.visibility === 'password'
  return (
    <Form {...form} verb="Save visibility" label="Visibility">
      <OneOf
        aria-label="Who can see the site"
        titles={visibilityTitles}
        descriptions={descriptions}
        value={values.visibility}
        onChange={(visibility) => set({ visibility, password: '' })}
      />
      {isPassword && (
        <NewPasswordField
          {...field('password')}
          label={current === 'password' ? 'New password (optional)' : 'Password of the site'}
        />
      )}
      <Note>
        Changes take effect immediately, also at your domains. Previews follow, unless they have a
        password of their own. Programs need a{' '}
        <PageLink to={`/projects/${slug}/settings/tokens`}>site token</PageLink>.
      </Note>
    </Form>
  )
}
