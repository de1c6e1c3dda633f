// What is wrong with settings of a site before they are saved.

import { readColour } from '#renderer/sources/colour.ts'
import {
  chosenNavigation,
  findRepeated,
  repeatedMessage,
} from '#renderer/sources/navigation-setting.ts'
import { findImageProblem } from '#renderer/sources/settings.ts'
import { readRedirects } from '../redirects/read-redirects.ts'
import type { SiteSettings } from './records/schema.ts'

const maxDetails = 20

export function findSettingsProblems({
  colour,
  navigation,
  redirects,
  ...images
}: SiteSettings): { path: string; message: string }[] {
  const read = colour === null ? undefined : readColour(colour)
  const ofColour = typeof read === 'string' ? [{ path: 'colour', message: read }] : []
  const { problems } = readRedirects(Buffer.from(redirects))
  const ofRedirects = problems.slice(0, maxDetails).map(({ line, message }) => ({
    path: 'redirects',
    message: line === null ? message : `line ${line}: ${message}`,
  }))
  const ofImages = (['logo', 'favicon'] as const).flatMap((path) => {
    const message = images[path] === null ? undefined : findImageProblem(path, images[path])
    return message === undefined ? [] : [{ path, message }]
  })
  const repeated = findRepeated(chosenNavigation(navigation))
  const ofNavigation = repeated ? [{ path: 'navigation', message: repeatedMessage(repeated) }] : []
  return [...ofColour, ...ofImages, ...ofNavigation, ...ofRedirects]
}
