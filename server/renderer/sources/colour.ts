// The colour of a site for links and marks, in both themes. It must be readable there as text (WCAG 2.2, 1.4.3).

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
  if (hex === undefined) return undefined
  const light = readable(hex, 'light')
  return { light, dark: readable(light, 'dark', madeContrast) }
}

const form = 'colour must be a colour such as "#1c5f45" in quotes, or light and dark with one each.'

/** What is wrong, and how to fix it, otherwise. With one colour, the one of the dark theme is made from it. */
export function readColour(value: unknown): ThemeColour | string {
  if (typeof value === 'string') {
    const light = readHex(value)
    if (light === undefined) return form
    return (
      faultOf('colour', light, 'light') ?? { light, dark: readable(light, 'dark', madeContrast) }
    )
  }
  if (typeof value !== 'object' || value === null) return form
  const { light: ofLight, dark: ofDark, ...others } = value as Record<string, unknown>
  const [light, dark] = [readHex(ofLight), readHex(ofDark)]
  if (light === undefined || dark === undefined || Object.keys(others).length > 0) return form
  const fault = faultOf('colour.light', light, 'light') ?? faultOf('colour.dark', dark, 'dark')
  return fault ?? { light, dark }
}

function readHex(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const hex = value.replace(/^#(.)(.)(.)$/, '#$1$1$2$2$3$3')
  return /^#[0-9a-f]{6}$/i.test(hex) ? hex.toLowerCase() : undefined
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
  const mixed = channelsOf(from).map((value, i) =>
    Math.round(value + ((target[i] ?? 0) - value) * share),
  )
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`
}

export function contrastOf(one: string, other: string): number {
  const [low = 0, high = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b)
  return (high + 0.05) / (low + 0.05)
}

function luminanceOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(colour).map((value) => {
    const part = value / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function channelsOf(colour: string): number[] {
  return [1, 3, 5].map((start) => Number.parseInt(colour.slice(start, start + 2), 16))
}
