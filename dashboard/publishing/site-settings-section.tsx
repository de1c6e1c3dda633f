// Settings of the site of a project. What the files of the live deploy set is shown as such, and cannot be changed here.
import { Code, Paper, SimpleGrid, Stack, Text } from '@mantine/core'
import { type ReactNode, useId } from 'react'
import { toReadableColour } from '#renderer/sources/colour.ts'
import type { Answer } from '../../client/management-client.ts'
import { useAnnounce } from '../components/announcements.tsx'
import { CopyBlock } from '../components/copy.tsx'
import { TextAreaField, TextField, type TextFieldProps } from '../components/fields.tsx'
import { Form } from '../components/form.tsx'
import { BookIcon, LockIcon } from '../components/icons.tsx'
import { Section } from '../components/page.tsx'
import { Loaded, Loading } from '../components/states.tsx'
import { useForm } from '../components/use-form.ts'
import { useChange, useGet } from '../platform/requests.ts'
import { ColourField } from './colour-field.tsx'
import { readNavigationText, toNavigationText } from './navigation-text.ts'
import { type Project, projectQueries } from './project-queries.ts'
import classes from './set-by-file.module.css'
import { addressOfImage, SiteImageField } from './site-image-field.tsx'
import { SitePreview } from './site-preview.tsx'

type State = Answer<'GET /projects/{slug}/site-settings'>
type Name = keyof State['settings']
type FileSettings = NonNullable<State['live']>['files']
type Texts = ReturnType<typeof toTexts>

const title = 'Appearance and navigation'
const labels: Record<Name, string> = {
  title: 'Title',
  description: 'Description',
  colour: 'Colour',
  logo: 'Logo',
  favicon: 'Favicon',
  navigation: 'Navigation order',
  redirects: 'Redirects',
}

export function SiteSettingsSection({ project }: { project: Project }) {
  const state = useGet('GET /projects/{slug}/site-settings')
  return (
    <Section title={title} size="h3">
      <Paper withBorder p="md">
        <Loaded query={state} loading={<Loading rows={3} height={60} />}>
          {(found) => <SettingsForm project={project} state={found} />}
        </Loaded>
      </Paper>
    </Section>
  )
}

function SettingsForm({ project: { name, slug }, state }: { project: Project; state: State }) {
  const { images, live, settings } = state
  const change = useChange('PUT /projects/{slug}/site-settings', projectQueries(slug))
  const announce = useAnnounce()
  const files = live?.files
  const stored = toTexts(settings)
  const { field, form, set, values } = useForm({
    initial: stored,
    labels,
    checks: {
      navigation(text) {
        const read = readNavigationText(text)
        return typeof read === 'string' ? read : undefined
      },
    },
    async send(texts) {
      const body = fromTexts(texts)
      const { deploy, settings: saved } = await change.mutateAsync({ params: { slug }, body })
      set(toTexts(saved))
      announce(deploy === null ? 'Saved.' : `Saved. Deploy ${deploy} applies the settings.`)
    },
  })
  /** What the file sets is used, and the setting behind it stays. */
  const used = { ...values, ...(files && textsOf(files)) }
  const isSetByFile = (setting: Name): boolean => files?.[setting] != null
  const imageOf = (image: 'logo' | 'favicon') => {
    const uploaded = isSetByFile(image) ? null : images[image]
    if (uploaded) return { address: addressOfImage(slug, image, uploaded.hash) }
    return used[image].trim() === '' ? undefined : { path: used[image] }
  }
  if (live?.kind === 'ready') {
    return (
      <Form {...form} verb="Save settings" label={title}>
        <Text size="sm" c="dimmed">
          The live deploy is a finished site: its title, colour and navigation are its own.
        </Text>
        <Redirects field={field('redirects')} files={files} />
        <Effect live={live} />
      </Form>
    )
  }
  return (
    <Form {...form} verb="Save settings" label={title}>
      {/* The preview stays in view beside these. */}
      <Stack>
        <SitePreview
          title={used.title.trim() || name}
          colour={
            files?.colour && files.darkColour
              ? { light: files.colour, dark: files.darkColour }
              : toReadableColour(used.colour.trim())
          }
          logo={imageOf('logo')}
          favicon={imageOf('favicon')}
        />
        {isSetByFile('title') ? (
          <SetByFile name="title" label={labels.title}>
            {used.title}
          </SetByFile>
        ) : (
          <TextField
            {...field('title')}
            label={labels.title}
            placeholder={name}
            description="Shown on every page. By default the name of the project."
          />
        )}
        {isSetByFile('description') ? (
          <SetByFile name="description" label={labels.description}>
            {used.description}
          </SetByFile>
        ) : (
          <TextField
            {...field('description')}
            label={labels.description}
            description="One sentence, for search engines and the front page."
          />
        )}
        {isSetByFile('colour') ? (
          <SetByFile name="colour" label={labels.colour}>
            <Code>{used.colour}</Code> <Code>{files?.darkColour}</Code>
          </SetByFile>
        ) : (
          <ColourField {...field('colour')} label={labels.colour} />
        )}
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          {(['logo', 'favicon'] as const).map((image) =>
            isSetByFile(image) ? (
              <SetByFile key={image} name={image} label={labels[image]}>
                <Code>{used[image]}</Code>
              </SetByFile>
            ) : (
              <SiteImageField
                key={image}
                {...field(image)}
                name={image}
                image={images[image]}
                {...imageTexts[image]}
              />
            ),
          )}
        </SimpleGrid>
      </Stack>
      {files?.navigation ? (
        <SetByFile name="navigation" label={labels.navigation}>
          <NavigationTree sections={files.navigation} />
        </SetByFile>
      ) : (
        <TextAreaField
          {...field('navigation')}
          label={labels.navigation}
          placeholder={'index.md\nGet started:\n  guides/first.md\n  guides/'}
          spellCheck={false}
          minRows={4}
          description="Markdown files and folders that come first, one in each line. A line with a colon begins a group; its pages are indented."
        />
      )}
      <Redirects field={field('redirects')} files={files} />
      <Effect live={live} />
    </Form>
  )
}

const imageTexts = {
  logo: {
    placeholder: 'images/logo.svg',
    description: 'SVG, PNG, WebP or JPEG. Upload it, or give its path.',
  },
  favicon: {
    placeholder: 'images/icon.png',
    description: 'SVG, PNG or ICO. Upload it, or give its path.',
  },
}

function Redirects({
  field,
  files,
}: {
  field: Pick<TextFieldProps, 'value' | 'onChange' | 'error'> & { name: string }
  files: FileSettings | undefined
}) {
  if (files?.redirects != null) {
    return (
      <SetByFile label={labels.redirects}>
        <CopyBlock text={files.redirects} what="the redirects" />
      </SetByFile>
    )
  }
  return (
    <TextAreaField
      {...field}
      label={labels.redirects}
      placeholder={'/old-guide  /guides/first\n/news/*  /blog/:splat  302'}
      spellCheck={false}
      minRows={4}
      description="From, to and, optionally, a status in each line."
    />
  )
}

const Effect = ({ live }: Pick<State, 'live'>) => (
  <Text size="sm" c="dimmed">
    {live
      ? 'Saving builds the live deploy again from its sources. Nothing has to be uploaded.'
      : 'They apply from the first deploy on.'}
  </Text>
)

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

/** What files set, as texts. */
function textsOf(files: FileSettings): Partial<Texts> {
  const { darkColour: _, navigation: __, ...texts } = files
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== null))
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

// A setting that a file of the live deploy sets: what it is, where it comes from, and how to set it here.

function SetByFile({
  children,
  label,
  name,
}: {
  label: string
  /** The field of site.yaml; undefined for the whole file _redirects. */
  name?: string
  children: ReactNode
}) {
  const id = useId()
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls
    <div role="group" aria-labelledby={id}>
      <Text size="sm" fw={500} id={id}>
        {label}
      </Text>
      <div className={classes.value}>{children}</div>
      <Text size="xs" c="dimmed" className={classes.origin ?? ''}>
        <LockIcon size={13} />
        <span>
          Set by {name === undefined ? '_redirects' : 'site.yaml'} of the live deploy. To set it
          here, remove {name === undefined ? 'the file' : <Code>{name}</Code>}
          {name !== undefined && ' from it'} and deploy again.
        </span>
      </Text>
    </div>
  )
}

type Sections = Answer<'GET /projects/{slug}/site-settings'>['settings']['navigation']

/** Pages and groups in their order. */
function NavigationTree({ sections }: { sections: Sections }) {
  return (
    <ul className={classes.tree}>
      {sections.map(({ pages, title }, at) =>
        title === null ? (
          <Pages key={pages.join()} pages={pages} />
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: two groups may have the same title
          <li key={`${at} ${title}`}>
            <strong>{title}</strong>
            <ul>
              <Pages pages={pages} />
            </ul>
          </li>
        ),
      )}
    </ul>
  )
}

function Pages({ pages }: { pages: string[] }) {
  return pages.map((path) => (
    <li key={path} className={classes.page}>
      <BookIcon size={14} />
      <span>{path}</span>
    </li>
  ))
}
