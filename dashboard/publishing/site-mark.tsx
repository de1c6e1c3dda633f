// The mark of a site, as it is in the tabs of its visitors: its uploaded icon, or the first letter of its title on its colour.
import type { CSSProperties } from 'react'
import { firstLetter } from '#renderer/site/first-letter.ts'
import { addressOf } from '../../client/management-client.ts'
import { useGet } from '../platform/requests.ts'
import type { Project } from './project-queries.ts'
import classes from './site-mark.module.css'

/** Title, colour and icon of a site, those of the project until they are there. A finished site has its own, elsewhere. */
export function useSite({ liveDeploy, name, slug }: Project) {
  const { data } = useGet(
    'GET /projects/{slug}/site-settings',
    { params: { slug } },
    { enabled: liveDeploy !== null, refetchOnWindowFocus: false, retry: false },
  )
  if (data?.live?.kind !== 'rendered') return { title: name }
  const { images, live, settings } = data
  const icon = live.files.favicon === null ? images.favicon : null
  return {
    title: live.files.title ?? settings.title ?? name,
    colour: live.files.colour ?? settings.colour ?? undefined,
    icon: icon ? addressOfImage(slug, 'favicon', icon.hash) : undefined,
  }
}

export function SiteMark({ isLarge = false, project }: { isLarge?: boolean; project: Project }) {
  const { colour, icon, title } = useSite(project)
  return (
    <span
      className={classes.mark}
      data-large={isLarge}
      data-published={project.liveDeploy !== null}
      style={{ ...(colour && { '--mark': colour }) } as CSSProperties}
      aria-hidden="true"
    >
      {icon ? <img src={icon} alt="" /> : firstLetter(title)}
    </span>
  )
}

/** Of an uploaded image. */
export function addressOfImage(slug: string, image: 'logo' | 'favicon', hash: string): string {
  const address = addressOf('GET /projects/{slug}/site-images/{image}', { params: { slug, image } })
  return `${address}?_v=${hash}`
}
