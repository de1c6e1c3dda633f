// How the doctor's words are written to standard output.
import type { TextOptions } from '../../publishing/domains/doctor/terminal-text.ts'

/** Colours on a terminal, unless NO_COLOR is set; lines that fit it; times of the machine's own zone. */
export function textOptions(): TextOptions {
  const { columns, isTTY } = process.stdout
  return {
    ...(isTTY && columns > 0 ? { columns } : {}),
    hasColour: isTTY === true && !process.env.NO_COLOR,
    formatTime: (at) =>
      new Date(at).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' }),
  }
}
