// The images of a site that can be uploaded, and their formats.
import type { imageTypes } from '#renderer/sources/settings.ts'

export type ImageType = 'svg' | 'png' | 'webp' | 'jpg' | 'ico'
export type ImageName = keyof typeof imageTypes

export const imageNames = ['logo', 'favicon'] as const satisfies ImageName[]

export const mediaTypes: Record<ImageType, string> = {
  svg: 'image/svg+xml',
  png: 'image/png',
  webp: 'image/webp',
  jpg: 'image/jpeg',
  ico: 'image/x-icon',
}

export const maxImageBytes = 1024 * 1024
/** Of each side, in pixels. */
export const maxImagePixels = 4096
