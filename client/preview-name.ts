// Names of previews that clients choose. The server decides what a name is (previews/records/preview-name.ts).

const maxLength = 40
/** 32, without those that are mistaken for another. */
const digits = 'abcdefghjkmnpqrstuvwxyz023456789'
const randomLength = 12

/** A name from any text, such as that of a branch; empty if no usable character is left. */
export function proposePreviewName(text: string): string {
  const plain = text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  const name = plain.replaceAll(/^-+|-+$/g, '').slice(0, maxLength)
  return name.replace(/-+$/, '')
}

/** 60 random bits, so that nobody guesses the address. */
export function randomPreviewName(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(randomLength))
  return Array.from(bytes, (byte) => digits[byte % digits.length]).join('')
}
