/** A PNG, encoded by Chromium, that says it has this size; the checksums of its chunks do not matter here. */
export function pngOf(width: number, height: number): Buffer {
  const bytes = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAwAAAAHCAYAAAA8sqwkAAAAI0lEQVR4AeTLMQ0AAAwCwQYjNYYSzIMGZj758aCnm3FlkyAAAAD///z8Hj8AAAAGSURBVAMAK9IXf4plSjQAAAAASUVORK5CYII=',
    'base64',
  )
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return bytes
}
