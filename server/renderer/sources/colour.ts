// The colour of a site for links and marks, in both themes. It must be readable there as text (WCAG 2.2, 1.4.3).

import { onlyFields } from './plain-values.ts'

/** As `#rrggbb`. */
export interface ThemeColour {
  light: string
  dark: string
}

const minContrast = 4.5
/** Of the colour that is made for the dark theme, where thin letters look weaker. */
const madeContrast = 6.5
/** `--surface` of the theme (site.css): the background on which a colour is hardest to read. */
const surfaces = { light: '#f5f3ed', dark: '#1b1f1c' } as const
const ends = { light: '#000000', dark: '#ffffff' } as const

/** What follows from the colour of a site in a theme: links, what is chosen and its background, text on the colour. */
export function accentsOf(colour: ThemeColour, theme: keyof ThemeColour) {
  const accent = colour[theme]
  const isLight = theme === 'light'
  return {
    accent,
    strong: `color-mix(in srgb, ${accent}, ${isLight ? '#000 25%' : '#fff 40%'})`,
    soft: `color-mix(in srgb, ${accent} ${isLight ? '8%, #fdfcf9' : '12%, #131614'})`,
    onAccent: isLight ? '#ffffff' : '#131614',
  }
}

/** As with one colour that was refused and replaced by the one to use instead. Undefined for what is no colour. */
export function toReadableColour(value: unknown): ThemeColour | undefined {
  const hex = readHex(value)
  const light = hex && readable(hex, 'light')
  return light ? { light, dark: readable(light, 'dark', madeContrast) } : undefined
}

/** What is wrong, and how to fix it, otherwise. With one colour, the one of the dark theme is made from it. */
export function readColour(value: unknown): ThemeColour | string {
  const both = onlyFields(value, 'light', 'dark')
  const light = readHex(both ? both.light : value)
  const dark = both ? readHex(both.dark) : light && readable(light, 'dark', madeContrast)
  if (!light || !dark)
    return 'colour must be a colour such as "#1c5f45" in quotes, or light and dark with one each.'
  return (
    faultOf(both ? 'colour.light' : 'colour', light, 'light') ??
    faultOf('colour.dark', dark, 'dark') ?? { light, dark }
  )
}

function readHex(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const hex = value.replace(/^#(.)(.)(.)$/, '#$1$1$2$2$3$3').toLowerCase()
  return /^#[0-9a-f]{6}$/.test(hex) ? hex : undefined
}

function faultOf(name: string, colour: string, theme: keyof ThemeColour): string | undefined {
  const contrast = contrastOf(colour, surfaces[theme])
  if (contrast >= minContrast) return undefined
  // Rounded down: 4.49 is not 4.5.
  const shown = Math.floor(contrast * 10) / 10
  return `${name} ${colour} has a contrast of ${shown} in the ${theme} theme, and needs ${minContrast} to be readable. Use ${readable(colour, theme)} instead.`
}

/** The colour, mixed with black or white until it is readable. */
function readable(colour: string, theme: keyof ThemeColour, contrast = minContrast): string {
  for (let share = 0; share < 1; share += 0.02) {
    const mixed = mix(colour, ends[theme], share)
    if (contrastOf(mixed, surfaces[theme]) >= contrast) return mixed
  }
  return ends[theme]
}

function mix(from: string, to: string, share: number): string {
  const target = channelsOf(to)
  const mixed = channelsOf(from).map((value, i) => value + ((target[i] ?? 0) - value) * share)
  return `#${mixed.map((value) => Math.round(value).toString(16).padStart(2, '0')).join('')}`
}

export function contrastOf(one: string, other: string): number {
  const [a, b] = [luminanceOf(one) + 0.05, luminanceOf(other) + 0.05]
  return Math.max(a / b, b / a)
}

function luminanceOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(colour).map((value) => {
    const part = value / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const channelsOf = (colour: string): number[] =>
  [1, 3, 5].map((start) => Number.parseInt(colour.slice(start, start + 2), 16))
