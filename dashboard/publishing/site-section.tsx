// The section Site of the project settings: who may see the site, how it looks, and what it redirects. What the files of the
// live deploy set is shown as such, and cannot be changed here.
import { Code, Paper, SimpleGrid, Stack, Text } from '@mantine/core'
import { type ReactNode, useId } from 'react'
import { readColour, toReadableColour } from '#renderer/sources/colour.ts'
import type { Answer } from '../../client/management-client.ts'
import { useAnnounce } from '../components/announcements.tsx'
import { CopyBlock } from '../components/copy.tsx'
import { TextAreaField, TextField, type TextFieldProps } from '../components/fields.tsx'
import { Form } from '../components/form.tsx'
import { BookIcon, LockIcon } from '../components/icons.tsx'
import { Section } from '../components/page.tsx'
import { sentenceOf } from '../components/sentence-of.ts'
import { Loaded, Loading } from '../components/states.tsx'
import { useForm } from '../components/use-form.ts'
import { useChange, useGet } from '../platform/requests.ts'
import { type Project, projectQueries } from './project-queries.ts'
import { addressOfImage, SiteImageField } from './site-image-field.tsx'
import { SitePreview } from './site-preview.tsx'
import classes from './site-section.module.css'
import { VisibilitySection } from './visibility-section.tsx'

type State = Answer<'GET /projects/{slug}/site-settings'>
type Settings = State['settings']
type Sections = Settings['navigation']
type Name = keyof Settings
type Files = NonNullable<State['live']>['files']

const title = 'Appearance and navigation'
const areas = { spellCheck: false, minRows: 4 }
/** What each field is, apart from its state. */
const fields = {
  title: {
    label: 'Title',
    description: 'Shown on every page. By default the name of the project.',
  },
  description: {
    label: 'Description',
    description: 'One sentence, for search engines and the front page.',
  },
  colour: { label: 'Colour' },
  logo: {
    label: 'Logo',
    placeholder: 'images/logo.svg',
    description: 'SVG, PNG, WebP or JPEG. Upload it, or give its path.',
  },
  favicon: {
    label: 'Favicon',
    placeholder: 'images/icon.png',
    description: 'SVG, PNG or ICO. Upload it, or give its path.',
  },
  navigation: {
    ...areas,
    label: 'Navigation order',
    placeholder: 'index.md\nGet started:\n  guides/first.md\n  guides/',
    description:
      'Markdown files and folders that come first, one in each line. A line with a colon begins a group; its pages are indented.',
  },
  redirects: {
    ...areas,
    label: 'Redirects',
    placeholder: '/old-guide  /guides/first\n/news/*  /blog/:splat  302',
    description: 'From, to and, optionally, a status in each line.',
  },
} satisfies Record<Name, object>
const names = Object.keys(fields) as Name[]
const byName = <Value,>(find: (name: Name) => Value) =>
  Object.fromEntries(names.map((name) => [name, find(name)])) as Record<Name, Value>

export function SiteSection({ project }: { project: Project }) {
  const state = useGet('GET /projects/{slug}/site-settings')
  return (
    <Stack gap="xl">
      <VisibilitySection project={project} />
      <Section title={title} size="h3">
        <Paper withBorder p="md">
          <Loaded query={state} loading={<Loading rows={3} height={60} />}>
            {(found) => <SettingsForm project={project} state={found} />}
          </Loaded>
        </Paper>
      </Section>
    </Stack>
  )
}

function SettingsForm({ project, state }: { project: Project; state: State }) {
  const { images, live, settings } = state
  const { name: projectName, slug } = project
  const change = useChange('PUT /projects/{slug}/site-settings', projectQueries(slug))
  const announce = useAnnounce()
  const { field, form, set, values } = useForm({
    initial: toTexts(settings),
    labels: byName((name) => fields[name].label),
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
  const files = live?.files
  const used = (name: 'title' | 'colour' | 'logo' | 'favicon') =>
    (files?.[name] ?? values[name]).trim()
  const previewImage = (name: 'logo' | 'favicon') => {
    const uploaded = files?.[name] == null ? images[name] : null
    if (uploaded) return { address: addressOfImage(slug, name, uploaded.hash) }
    return used(name) === '' ? undefined : { path: used(name) }
  }
  const of = <N extends Name>(name: N) => ({ ...fields[name], ...field(name) })
  /** What the file sets is shown instead, and the setting behind it stays. */
  const setting = (name: Name, control: ReactNode, show: (files: Files) => ReactNode) =>
    files?.[name] == null ? control : <SetByFile name={name}>{show(files)}</SetByFile>
  const image = (name: 'logo' | 'favicon') =>
    setting(name, <SiteImageField {...of(name)} name={name} image={images[name]} />, (set) => (
      <Code>{set[name]}</Code>
    ))
  const isReady = live?.kind === 'ready'
  return (
    <Form {...form} verb="Save settings" label={title}>
      {isReady ? (
        <Text size="sm" c="dimmed">
          The live deploy is a finished site: its title, colour and navigation are its own.
        </Text>
      ) : (
        <>
          {/* The preview stays in view beside these. */}
          <Stack>
            <SitePreview
              title={used('title') || projectName}
              colour={
                files?.colour && files.darkColour
                  ? { light: files.colour, dark: files.darkColour }
                  : toReadableColour(used('colour'))
              }
              logo={previewImage('logo')}
              favicon={previewImage('favicon')}
            />
            {setting(
              'title',
              <TextField {...of('title')} placeholder={projectName} />,
              (set) => set.title,
            )}
            {setting('description', <TextField {...of('description')} />, (set) => set.description)}
            {setting('colour', <ColourField {...of('colour')} />, (set) => (
              <>
                <Code>{set.colour}</Code> <Code>{set.darkColour}</Code>
              </>
            ))}
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
              {image('logo')}
              {image('favicon')}
            </SimpleGrid>
          </Stack>
          {setting('navigation', <TextAreaField {...of('navigation')} />, (set) => (
            <NavigationTree sections={set.navigation ?? []} />
          ))}
        </>
      )}
      {setting('redirects', <TextAreaField {...of('redirects')} />, (set) => (
        <CopyBlock text={set.redirects ?? ''} what="the redirects" />
      ))}
      <Text size="sm" c="dimmed">
        {live
          ? 'Saving builds the live deploy again from its sources. Nothing has to be uploaded.'
          : 'They apply from the first deploy on.'}
      </Text>
    </Form>
  )
}

function toTexts(settings: Settings): Record<Name, string> {
  return byName((name) =>
    name === 'navigation' ? toNavigationText(settings.navigation) : (settings[name] ?? ''),
  )
}

function fromTexts({ navigation, redirects, ...texts }: Record<Name, string>): Settings {
  const orNull = Object.entries(texts).map(([name, text]) => [name, text.trim() || null])
  const sections = readNavigationText(navigation)
  return {
    ...(Object.fromEntries(orNull) as Record<keyof typeof texts, string | null>),
    navigation: typeof sections === 'string' ? [] : sections,
    redirects,
  }
}

/** A colour that is hard to read is refused by the renderer's own rule while it is typed, with the nearest one to use instead. */
function ColourField({ error, onChange, value, ...field }: TextFieldProps) {
  const text = value.trim()
  const isComplete = toReadableColour(text) !== undefined
  return (
    <TextField
      {...field}
      value={value}
      onChange={onChange}
      placeholder="#1c5f45"
      spellCheck={false}
      leftSection={
        <input
          type="color"
          className={classes.swatch}
          aria-label={`Choose the ${field.label.toLowerCase()}`}
          value={isComplete ? longForm(text) : '#1c5f45'}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      }
      leftSectionPointerEvents="all"
      description="The colour of links and marks. The dark theme gets a lighter form of it."
      error={error ?? (isComplete ? problemOfColour(text) : undefined)}
    />
  )
}

function problemOfColour(colour: string): string | undefined {
  const read = readColour(colour)
  return typeof read === 'string' ? sentenceOf('colour', read) : undefined
}

/** `#rrggbb`, the only form that the browser's field takes. */
const longForm = (colour: string): string =>
  colour.length === 4 ? colour.replaceAll(/[^#]/g, '$&$&').toLowerCase() : colour.toLowerCase()

// The navigation order as text: a path in each line; a line that ends with a colon is the title of a group, whose pages
// are indented below it.

function toNavigationText(sections: Sections): string {
  return sections
    .flatMap(({ pages, title }) =>
      title === null ? pages : [`${title}:`, ...pages.map((path) => `  ${path}`)],
    )
    .join('\n')
}

/** What is wrong, otherwise. */
function readNavigationText(text: string): Sections | string {
  const sections: Sections = []
  for (const [i, written] of text.split('\n').entries()) {
    const line = written.trim()
    if (line === '') continue
    const last = sections.at(-1)
    if (/^\s/.test(written)) {
      if (!last || last.title === null) return `Line ${i + 1} is indented, but it is in no group.`
      last.pages.push(line)
    } else if (line.endsWith(':')) sections.push({ title: line.slice(0, -1).trim(), pages: [] })
    else if (last?.title === null) last.pages.push(line)
    else sections.push({ title: null, pages: [line] })
  }
  const empty = sections.find(({ pages }) => pages.length === 0)
  return empty ? `The group ${empty.title} has no pages. Indent them below its title.` : sections
}

/** A setting that a file of the live deploy sets: what it is, where it comes from, and how to set it here. */
function SetByFile({ children, name }: { name: Name; children: ReactNode }) {
  const id = useId()
  const isOwnFile = name === 'redirects'
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls
    <div role="group" aria-labelledby={id}>
      <Text size="sm" fw={500} id={id}>
        {fields[name].label}
      </Text>
      <div className={classes.value}>{children}</div>
      <Text size="xs" c="dimmed" className={classes.origin ?? ''}>
        <LockIcon size={13} />
        <span>
          Set by {isOwnFile ? '_redirects' : 'site.yaml'} of the live deploy. To set it here, remove{' '}
          {isOwnFile ? 'the file' : <Code>{name}</Code>}
          {!isOwnFile && ' from it'} and deploy again.
        </span>
      </Text>
    </div>
  )
}

/** Pages and groups in their order. */
function NavigationTree({ sections }: { sections: Sections }) {
  const list = (pages: string[]) =>
    pages.map((path) => (
      <li key={path} className={classes.page}>
        <BookIcon size={14} />
        <span>{path}</span>
      </li>
    ))
  return (
    <ul className={classes.tree}>
      {sections.map(({ pages, title }, at) =>
        title === null ? (
          list(pages)
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: two groups may have the same title
          <li key={`${at} ${title}`}>
            <strong>{title}</strong>
            <ul>{list(pages)}</ul>
          </li>
        ),
      )}
    </ul>
  )
}
