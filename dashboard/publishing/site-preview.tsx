// What visitors will see with what is typed: the header and the beginning of a page in both themes, drawn from the form
// and the outline of the live deploy. Nothing of the site itself is loaded, except images that were uploaded here.
import { Text, VisuallyHidden } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { firstLetter } from '../../server/publishing/render/site/first-letter.ts'
import { accentsOf, type ThemeColour } from '../../server/publishing/render/sources/colour.ts'
import { useGet } from '../platform/requests.ts'
import { Picture } from './site-picture.tsx'
import classes from './site-preview.module.css'

interface SitePreviewProps {
  slug: string
  /** The live deploy, if there is one. */
  number: number | undefined
  title: string
  /** Undefined: that of the theme. */
  colour: ThemeColour | undefined
  /** The address of the uploaded image, or its path in the deploy, which is not loaded here. */
  logo: PreviewImage | undefined
  favicon: PreviewImage | undefined
}

type PreviewImage = { address: string } | { path: string }

/** Before the first deploy. */
const sample = {
  kind: 'rendered' as const,
  header: [],
  navigation: ['Introduction', 'Get started', 'Guides', 'Reference'],
  contents: [],
  blocks: [
    { kind: 'h1' as const, text: 'Introduction' },
    { kind: 'text' as const, text: 'Your own pages appear here after the first deploy.' },
  ],
  colours: { background: null, text: null, accent: null },
}

/** Until its outline is there. */
const empty = { ...sample, navigation: [], blocks: [] }

const themes = { light: 'Light', dark: 'Dark' }
/** Of the theme of rendered sites (theme/header.css). */
const usualMark = '#1c5f45'

export function SitePreview({ colour, favicon, logo, number, slug, title }: SitePreviewProps) {
  // The first one: settings build it again from the same sources, and a build replaces the one before.
  const [drawn, setDrawn] = useState(number)
  if (drawn === undefined && number !== undefined) setDrawn(number)
  const { data } = useGet(
    'GET /projects/{slug}/deploys/{number}/outline',
    { params: { slug, number: String(drawn) } },
    { retry: false, enabled: ({ state }) => drawn !== undefined && state.data === undefined },
  )
  const isLoading = drawn !== undefined && data === undefined
  const page = data && data.blocks.length > 0 ? data : isLoading ? empty : sample
  const outline = { ...page, title, header: page.header.slice(0, 2), contents: [] }
  const [, link = page.navigation[0] ?? title] = page.navigation
  const mark = (image: PreviewImage | undefined, className: string | undefined): ReactNode =>
    image && 'address' in image ? (
      <img className={className} src={image.address} alt="" />
    ) : (
      <span
        className={`${classes.mark} ${className}`}
        style={{ background: colour?.light ?? usualMark }}
      >
        {firstLetter(title)}
      </span>
    )
  return (
    <section className={classes.preview} aria-label="Preview">
      {(['light', 'dark'] as const).map((scheme) => (
        <figure key={scheme} className={classes.figure}>
          <div className={classes.tab} data-scheme={scheme} aria-hidden="true">
            {mark(favicon, classes.favicon)}
            <span>{title}</span>
          </div>
          <Picture
            outline={outline}
            preview={{
              scheme,
              link,
              logo: mark(logo, classes.logo),
              colours: colour ? coloursOf(accentsOf(colour, scheme)) : {},
            }}
          />
          <figcaption>
            <Text size="xs" c="dimmed">
              {themes[scheme]}
              {colour && (
                <>
                  <VisuallyHidden>: </VisuallyHidden>
                  <span className={classes.code}>{colour[scheme]}</span>
                </>
              )}
            </Text>
          </figcaption>
        </figure>
      ))}
      {[logo, favicon].some((image) => image && 'path' in image) && (
        <Text size="xs" c="dimmed" className={classes.note ?? ''}>
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
