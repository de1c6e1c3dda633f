// Writes fields of CSV (RFC 4180).

/** A field as CSV text, quoted where necessary. */
export function writeCsvField(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** The same for text that other people chose: a spreadsheet does not run it as a formula. */
export function writeCsvText(text: string): string {
  return writeCsvField(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text)
}
