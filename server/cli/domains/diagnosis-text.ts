// How the terminal shows what a check found.
import type { TextOptions } from '#domains/doctor/terminal-text.ts'

/** Colours on a terminal unless NO_COLOR is set, lines that fit its width, times in the local time zone. */
export function textOptions(): TextOptions {
  const { columns, isTTY } = process.stdout
  return {
    ...(isTTY && columns > 0 ? { columns } : {}),
    hasColour: isTTY === true && !process.env.NO_COLOR,
    formatTime: (at) =>
      new Date(at).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' }),
  }
}
