// What visitors will see with what is typed: the tab, the header and the colours of a page in both themes. Nothing of the
// site itself is loaded, except images that were uploaded here.
import { Text, VisuallyHidden } from '@mantine/core'
import type { ReactNode } from 'react'
import { firstLetter } from '#renderer/site/first-letter.ts'
import { accentsOf, type ThemeColour } from '#renderer/sources/colour.ts'
import classes from './site-preview.module.css'

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
/** Of the theme of rendered sites (theme/header.css). */
const usualMark = '#1c5f45'

export function SitePreview({ colour, favicon, logo, title }: SitePreviewProps) {
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
          <div
            className={classes.page}
            data-scheme={scheme}
            style={colour && coloursOf(accentsOf(colour, scheme))}
            aria-hidden="true"
          >
            <div className={classes.header}>
              {mark(logo, classes.logo)}
              <span>{title}</span>
            </div>
            <div className={classes.body}>
              <span className={classes.current}>This page</span>
              <span>
                Text with <span className={classes.link}>a link</span>.
              </span>
            </div>
          </div>
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
