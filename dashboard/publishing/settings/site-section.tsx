// The section Site of the project settings: who may see the site, how it looks, and what it redirects. What the files of the
// live deploy set is shown as such, and cannot be changed here.
import {
  Box,
  Center,
  Code,
  Group,
  Input,
  Paper,
  SimpleGrid,
  Stack,
  Text,
  VisuallyHidden,
} from '@mantine/core'
import { type ReactNode, useId, useState } from 'react'
import {
  accentsOf,
  readColour,
  type ThemeColour,
  toReadableColour,
} from '#renderer/sources/colour.ts'
import { firstLetter } from '#renderer/sources/plain-text.ts'
import type { Answer } from '../../../client/management-client.ts'
import { maxSiteImageBytes } from '../../../client/values/limits.ts'
import { ActionButton } from '../../components/actions.tsx'
import { CopyBlock } from '../../components/copy.tsx'
import {
  Form,
  TextAreaField,
  TextField,
  type TextFieldProps,
  useForm,
} from '../../components/form.tsx'
import { BookIcon, LockIcon } from '../../components/icons.tsx'
import { FileButton } from '../../components/inputs.tsx'
import { Loaded, Loading, Section } from '../../components/page.tsx'
import { Note } from '../../components/values.tsx'
import { announce } from '../../platform/announcements.ts'
import { explain } from '../../platform/api.ts'
import { bytes, sentenceOf } from '../../platform/formats.ts'
import { useChange, useGet, useSlug } from '../../platform/requests.ts'
import { addressOfImage } from '../project-marks.tsx'
import type { Project } from '../project-queries.ts'
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

export function Component({ project }: { project: Project }) {
  const state = useGet('GET /projects/{slug}/site-settings')
  return (
    <Stack gap="xl">
      <VisibilitySection project={project} />
      <Section title={title} size="h3" isFramed>
        <Loaded query={state} loading={<Loading rows={3} height={60} />}>
          {(state) => <SettingsForm project={project} state={state} />}
        </Loaded>
      </Section>
    </Stack>
  )
}

function SettingsForm({ project, state }: { project: Project; state: State }) {
  const { images, live, settings } = state
  const { name: projectName, slug } = project
  const change = useChange('PUT /projects/{slug}/site-settings')
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
      return deploy
    },
    done: (deploy) =>
      deploy === null ? 'Saved.' : `Saved. Deploy ${deploy} applies the settings.`,
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
        <Note>
          The live deploy is a finished site: its title, colour and navigation are its own.
        </Note>
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
      <Note>
        {live
          ? 'Saving builds the live deploy again from its sources. Nothing has to be uploaded.'
          : 'They apply from the first deploy on.'}
      </Note>
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

/**
 * The navigation order as text: a path in each line; a line that ends with a colon is the title of a group, whose pages
 * are indented below it.
 */
function toNavigationText(sections: Sections): string {
  return sections
    .flatMap(({ pages, title }) =>
      title === null ? pages : [`${title}:`, ...pages.map((path) => `  ${path}`)],
    )
    .join('\n')
}

/** The navigation order of such a text; if there is none, what is wrong. */
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
      <Box mt="0.2rem" mb="0.35rem" style={{ overflowWrap: 'anywhere' }}>
        {children}
      </Box>
      <Text size="xs" c="dimmed" component={Group} gap="0.35rem" wrap="nowrap" align="flex-start">
        <Center mt="0.15rem">
          <LockIcon size={13} />
        </Center>
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
      <Group key={path} component="li" gap="0.5rem" wrap="nowrap" miw={0}>
        <Center c="dimmed">
          <BookIcon size={14} />
        </Center>
        <Box miw={0}>{path}</Box>
      </Group>
    ))
  return (
    <Paper
      component="ul"
      p="0.75rem 0.9rem"
      fz="sm"
      className={classes.tree ?? ''}
      withBorder
      bg="none"
    >
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
    </Paper>
  )
}

type Image = NonNullable<Answer<'GET /projects/{slug}/site-settings'>['images']['logo']>

/** Of rendered sites, whatever the theme of the dashboard is. */
const surfaces = { light: '#fdfcf9', dark: '#131614' }
const accepted = { logo: '.svg,.png,.webp,.jpg,.jpeg', favicon: '.svg,.png,.ico' }
const type = 'application/octet-stream'

interface SiteImageFieldProps extends TextFieldProps {
  name: keyof typeof accepted
  image: Image | null
}

/**
 * The logo or favicon: an uploaded file, shown on the surfaces of both themes of the site, or the path of one in the
 * deploy. An upload is applied at once.
 */
function SiteImageField({ image, name, ...field }: SiteImageFieldProps) {
  const slug = useSlug()
  const { label: title } = field
  const upload = useChange('PUT /projects/{slug}/site-images/{image}')
  const remove = useChange('DELETE /projects/{slug}/site-images/{image}')
  const [problem, setProblem] = useState<string>()
  const params = { slug, image: name }

  async function send([file]: FileList): Promise<void> {
    if (!file) return
    setProblem(undefined)
    if (file.size > maxSiteImageBytes) {
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
        {Object.entries(surfaces).map(([theme, bg]) => (
          <Center
            key={theme}
            flex="none"
            w={64}
            h={48}
            bd="1px solid default-border"
            bdrs="sm"
            bg={bg}
          >
            <Box
              component="img"
              maw={48}
              mah={32}
              src={addressOfImage(slug, name, image.hash)}
              alt={theme === 'light' ? `The uploaded ${name}` : ''}
            />
          </Center>
        ))}
        <Note>{describe(image)}</Note>
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

function applied(done: string, deploy: number | null): string {
  return deploy === null ? done : `${done} Deploy ${deploy} applies it.`
}

/** `PNG, 32 × 32, 2 KB`. */
function describe({ height, size, type, width }: Image): string {
  const pixels = width === null ? [] : [`${width} × ${height}`]
  return [type.toUpperCase(), ...pixels, bytes(size)].join(', ')
}

interface SitePreviewProps {
  title: string
  /** Undefined: that of the theme. */
  colour: ThemeColour | undefined
  /** The address of the uploaded image, or its path in the deploy, which is not loaded here. */
  logo: PreviewImage | undefined
  favicon: PreviewImage | undefined
}

type PreviewImage = { address: string } | { path: string }

const themes = { light: 'Light', dark: 'Dark' }
const tabs = { light: { bg: '#ffffff', c: '#3a3f3b' }, dark: { bg: '#1a1e1b', c: '#dfe3dd' } }
/** Of the theme of rendered sites (theme/header.css). */
const usualMark = '#1c5f45'

/**
 * What visitors will see with what is typed: the tab, the header and the colours of a page in both themes. Nothing of the
 * site itself is loaded, except images that were uploaded here.
 */
function SitePreview({ colour, favicon, logo, title }: SitePreviewProps) {
  const mark = (image: PreviewImage | undefined, className: string | undefined): ReactNode =>
    image && 'address' in image ? (
      <img className={className} src={image.address} alt="" />
    ) : (
      <Center
        inline
        className={className ?? ''}
        bdrs="0.35em"
        c="#fdfcf9"
        bg={colour?.light ?? usualMark}
        fw={700}
      >
        {firstLetter(title)}
      </Center>
    )
  return (
    <section className={classes.preview} aria-label="Preview">
      {(['light', 'dark'] as const).map((scheme) => (
        <Box key={scheme} component="figure" miw={0}>
          <Group
            gap="0.4rem"
            wrap="nowrap"
            w="fit-content"
            maw="70%"
            ml="0.75rem"
            p="0.25rem 0.6rem"
            bd="1px solid var(--line)"
            bdrs="0.4rem 0.4rem 0 0"
            fz="0.72rem"
            {...tabs[scheme]}
            style={{ borderBottom: 0 }}
            aria-hidden="true"
          >
            {mark(favicon, classes.favicon)}
            <Text span inherit truncate>
              {title}
            </Text>
          </Group>
          <div
            className={classes.previewPage}
            style={{ colorScheme: scheme, ...(colour && coloursOf(accentsOf(colour, scheme))) }}
            aria-hidden="true"
          >
            <Group
              gap="0.5rem"
              wrap="nowrap"
              mih="2.75rem"
              p="0.4rem 0.9rem"
              fw={650}
              style={{ borderBottom: '1px solid var(--page-line)' }}
            >
              {mark(logo, classes.logo)}
              <span>{title}</span>
            </Group>
            <Group gap="0.5rem 1rem" p="0.8rem 0.9rem">
              <Box
                p="0.25rem 0.6rem"
                bdrs="0.35rem"
                bg="var(--page-accent-soft, transparent)"
                c="var(--page-accent-strong, var(--page-accent))"
                fw={600}
                data-part="current"
              >
                This page
              </Box>
              <span>
                Text with{' '}
                <Text span inherit c="var(--page-accent)" td="underline" data-part="link">
                  a link
                </Text>
                .
              </span>
            </Group>
          </div>
          <figcaption>
            <Text size="xs" c="dimmed">
              {themes[scheme]}
              {colour && (
                <>
                  <VisuallyHidden>: </VisuallyHidden>
                  <Text span inherit ml="0.4rem" ff="monospace">
                    {colour[scheme]}
                  </Text>
                </>
              )}
            </Text>
          </figcaption>
        </Box>
      ))}
      {[logo, favicon].some((image) => image && 'path' in image) && (
        <Text size="xs" c="dimmed" style={{ gridColumn: '1 / -1' }}>
          Images of the deploy are not shown here: the first letter stands for them.
        </Text>
      )}
    </section>
  )
}

const coloursOf = ({ accent, soft, strong }: ReturnType<typeof accentsOf>): object => ({
  '--page-accent': accent,
  '--page-accent-soft': soft,
  '--page-accent-strong': strong,
})
