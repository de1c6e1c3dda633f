// Quotes words for POSIX shells (POSIX.1, Shell Command Language, section 2.2).

/** One word that the shell gives on as it is. NUL, which no argument can hold, is left out. */
export function shellQuote(text: string): string {
  const word = text.replaceAll('\0', '')
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

/** One word: `text`, followed by the value of a shell variable. */
export function shellQuoteWithVariable(text: string, variable: string): string {
  const word = text.replaceAll('\0', '')
  return /^[\w :,=/.-]*$/.test(word) ? `"${word}$${variable}"` : `${shellQuote(word)}"$${variable}"`
}
