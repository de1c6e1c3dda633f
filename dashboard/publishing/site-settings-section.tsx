// Settings of the site of a project. What the files of the live deploy set is shown as such, and cannot be changed here.
import { Paper, SimpleGrid, Text } from '@mantine/core'
import type { Answer } from '../../client/management-client.ts'
import { useAnnounce } from '../components/announcements.tsx'
import { TextAreaField, TextField } from '../components/fields.tsx'
import { Form } from '../components/form.tsx'
import { Section } from '../components/page.tsx'
import { Loaded, Loading } from '../components/states.tsx'
import { useForm } from '../components/use-form.ts'
import { useChange, useGet } from '../platform/requests.ts'
import { readNavigationText, toNavigationText } from './navigation-text.ts'
import { type Project, projectQueries } from './project-queries.ts'
import { SiteImageField } from './site-image-field.tsx'
import classes from './site-settings-section.module.css'

type State = Answer<'GET /projects/{slug}/site-settings'>
type Name = keyof State['settings']
type FileSettings = NonNullable<State['live']>['files']
type Texts = ReturnType<typeof toTexts>

export function SiteSettingsSection({ project }: { project: Project }) {
  const state = useGet('GET /projects/{slug}/site-settings')
  return (
    <Section title="Content" size="h3">
      <Paper withBorder p="md">
        <Loaded query={state} loading={<Loading rows={3} height={60} />}>
          {(found) => <SettingsForm project={project} state={found} />}
        </Loaded>
      </Paper>
    </Section>
  )
}

function SettingsForm({
  project: { name, slug },
  state: { images, live, settings },
}: {
  project: Project
  state: State
}) {
  const change = useChange('PUT /projects/{slug}/site-settings', projectQueries(slug))
  const announce = useAnnounce()
  const files = live?.files
  /** What a file of the live deploy sets is shown, and the setting behind it stays. */
  const stored = toTexts(settings)
  const saved = { ...stored, ...(files && shownOf(files)) }
  const { field, form, values } = useForm({
    initial: saved,
    checks: {
      navigation(text) {
        const read = readNavigationText(text)
        return typeof read === 'string' ? read : undefined
      },
    },
    async send(texts) {
      const body = fromTexts({ ...texts, ...(files && hiddenOf(stored, files)) })
      const { deploy } = await change.mutateAsync({ params: { slug }, body })
      announce(deploy === null ? 'Saved.' : `Saved. Deploy ${deploy} applies the settings.`)
    },
  })
  const isSame = (Object.keys(saved) as Name[]).every((each) => values[each] === saved[each])
  const isReady = live?.kind === 'ready'
  /** For a field that a file of the live deploy sets. */
  const from = (setting: Name, description: string, file = 'site.yaml') =>
    files && files[setting] !== null
      ? { disabled: true, description: `Set by ${file} of the live deploy.` }
      : { description }
  const colour = /^#(?:[0-9a-f]{3}){1,2}$/i.test(values.colour) ? values.colour : undefined
  return (
    <Form {...form} verb="Save settings" label="Content" isDisabled={isSame}>
      {isReady ? (
        <Text size="sm" c="dimmed">
          The live deploy is a finished site: its title, colour and navigation are its own.
        </Text>
      ) : (
        <>
          <TextField
            {...field('title')}
            label="Title"
            placeholder={name}
            {...from('title', 'Shown on every page. By default the name of the project.')}
          />
          <TextField
            {...field('description')}
            label="Description"
            {...from('description', 'One sentence, for search engines and the front page.')}
          />
          <TextField
            {...field('colour')}
            label="Colour"
            placeholder="#1c5f45"
            spellCheck={false}
            leftSection={
              colour && <span className={classes.swatch} style={{ background: colour }} />
            }
            {...from('colour', 'Of links and marks. The dark theme gets a lighter form of it.')}
          />
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <SiteImageField
              {...field('logo')}
              name="logo"
              image={images.logo}
              placeholder="images/logo.svg"
              {...from('logo', 'SVG, PNG, WebP or JPEG. Upload it, or give its path.')}
            />
            <SiteImageField
              {...field('favicon')}
              name="favicon"
              image={images.favicon}
              placeholder="images/icon.png"
              {...from('favicon', 'SVG, PNG or ICO. Upload it, or give its path.')}
            />
          </SimpleGrid>
          <TextAreaField
            {...field('navigation')}
            label="Navigation order"
            placeholder={'index.md\nGet started:\n  guides/first.md\n  guides/'}
            spellCheck={false}
            minRows={4}
            {...from(
              'navigation',
              'Markdown files and folders that come first, one in each line. A line with a colon begins a group; its pages are indented.',
            )}
          />
        </>
      )}
      <TextAreaField
        {...field('redirects')}
        label="Redirects"
        placeholder={'/old-guide  /guides/first\n/news/*  /blog/:splat  302'}
        spellCheck={false}
        minRows={4}
        {...from('redirects', 'From, to and, optionally, a status in each line.', '_redirects')}
      />
      <Text size="sm" c="dimmed">
        {live
          ? 'Saving builds the live deploy again from its sources. Nothing has to be uploaded.'
          : 'They apply from the first deploy on.'}
      </Text>
    </Form>
  )
}

function toTexts(settings: State['settings']) {
  const { colour, description, favicon, logo, navigation, redirects, title } = settings
  return {
    title: title ?? '',
    description: description ?? '',
    colour: colour ?? '',
    logo: logo ?? '',
    favicon: favicon ?? '',
    navigation: toNavigationText(navigation),
    redirects,
  }
}

/** The texts of what files set. */
function shownOf(files: FileSettings): Partial<Texts> {
  const { navigation, ...texts } = files
  const lines = { ...texts, navigation: navigation && toNavigationText(navigation) }
  return Object.fromEntries(Object.entries(lines).filter(([, text]) => text !== null))
}

/** The settings that are not used, because files set them. */
function hiddenOf(stored: Texts, files: FileSettings): Partial<Texts> {
  const isSet = ([name]: [string, string]): boolean => files[name as Name] !== null
  return Object.fromEntries(Object.entries(stored).filter(isSet))
}

function fromTexts(texts: Texts): State['settings'] {
  const orNull = (text: string): string | null => (text.trim() === '' ? null : text.trim())
  const navigation = readNavigationText(texts.navigation)
  return {
    title: orNull(texts.title),
    description: orNull(texts.description),
    colour: orNull(texts.colour),
    logo: orNull(texts.logo),
    favicon: orNull(texts.favicon),
    navigation: typeof navigation === 'string' ? [] : navigation,
    redirects: texts.redirects,
  }
}
