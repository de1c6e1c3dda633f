// A small picture of the front page of a deploy, drawn from its outline: plain text that React escapes, and colours
// that are checked here. Nothing of the page itself is loaded. It is decoration: what it says is on the site.
import { Skeleton } from '@mantine/core'
import type { CSSProperties, ReactNode } from 'react'
import type { Answer } from '../../client/management-client.ts'
import { useGet } from '../platform/requests.ts'
import classes from './site-picture.module.css'

type Outline = Answer<'GET /projects/{slug}/deploys/{number}/outline'>

export function SitePicture({ number, slug }: { slug: string; number: number }) {
  const outline = useGet(
    'GET /projects/{slug}/deploys/{number}/outline',
    { params: { slug, number: String(number) } },
    // A deploy does not change once it is built.
    { staleTime: Number.POSITIVE_INFINITY, retry: false },
  )
  if (outline.isPending) return <Skeleton className={classes.picture ?? ''} radius="md" />
  return <Picture outline={outline.data} />
}

interface PictureProps {
  outline: Outline | undefined
  /** What a preview sets: the theme that it shows, closer; variables of its colours; the logo; a link of its page. */
  preview?: { scheme: 'light' | 'dark'; colours: CSSProperties; logo: ReactNode; link: string }
}

export function Picture({ outline, preview }: PictureProps) {
  if (!outline) return <div className={classes.picture} aria-hidden="true" />
  const { blocks, contents, header, kind, navigation, title } = outline
  const links = header.filter((link) => link !== title)
  return (
    <div
      className={classes.picture}
      data-theme={kind === 'rendered'}
      data-scheme={preview?.scheme}
      style={preview?.colours ?? stylesOf(outline)}
      aria-hidden="true"
    >
      <div className={classes.page}>
        <div className={classes.header}>
          <span className={classes.brand}>
            {preview?.logo ?? <span className={classes.mark} />}
            {title}
          </span>
          <span className={classes.links}>
            {keyed(links).map(([key, link]) => (
              <span key={key}>{link}</span>
            ))}
          </span>
        </div>
        <div className={classes.columns}>
          {navigation.length > 0 && <Side items={navigation} isFirst />}
          <div className={classes.content}>
            {keyed(blocks).map(([key, { kind: block, text }]) => (
              <div key={key} className={classes[block]}>
                {text}
              </div>
            ))}
            {preview && <span className={classes.link}>{preview.link}</span>}
          </div>
          {contents.length > 0 && <Side items={contents} />}
        </div>
      </div>
    </div>
  )
}

function Side({ isFirst = false, items }: { items: string[]; isFirst?: boolean }) {
  return (
    <div className={classes.side} data-first={isFirst}>
      {keyed(items).map(([key, item]) => (
        <div key={key}>{item}</div>
      ))}
    </div>
  )
}

/** Items by their places: they never change. */
const keyed = <Item,>(items: Item[]): [number, Item][] => items.map((item, at) => [at, item])

function stylesOf({ colours: { accent, background, text }, kind }: Outline): CSSProperties {
  if (kind === 'rendered') return {}
  const isColour = (value: string | null): value is string => /^#[\da-f]{6}$/.test(value ?? '')
  const named = {
    '--page-background': background,
    // A text of one colour with its ground would be a guess that went wrong.
    '--page-text': text ?? (isColour(background) && isDark(background) ? '#e8e8e8' : null),
    '--page-accent': accent,
  }
  return Object.fromEntries(Object.entries(named).filter(([, value]) => isColour(value)))
}

function isDark(colour: string): boolean {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) =>
    Number.parseInt(colour.slice(at, at + 2), 16),
  )
  return 0.3 * red + 0.59 * green + 0.11 * blue < 128
}
