// The colour of a site, typed or chosen. A colour that is hard to read is refused by the renderer's own rule while it is
// typed, with the nearest one to use instead.
import { readColour, toReadableColour } from '#renderer/sources/colour.ts'
import { TextField, type TextFieldProps } from '../components/fields.tsx'
import { sentenceOf } from '../components/sentence-of.ts'
import classes from './colour-field.module.css'

export function ColourField({ error, onChange, value, ...field }: TextFieldProps) {
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
