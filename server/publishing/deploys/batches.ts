// Groups files into batches with a limited number of files and bytes.

interface BatchLimits {
  maxFiles: number
  maxBytes: number
}

/** A batch ends with the file that reaches one of the limits. */
export async function* batches<File>(
  files: Iterable<File> | AsyncIterable<File>,
  { maxBytes, maxFiles }: BatchLimits,
  bytesOf: (file: File) => number,
): AsyncGenerator<File[]> {
  let batch: File[] = []
  let bytes = 0
  for await (const file of files) {
    batch.push(file)
    bytes += bytesOf(file)
    if (bytes < maxBytes && batch.length < maxFiles) continue
    yield batch
    batch = []
    bytes = 0
  }
  if (batch.length > 0) yield batch
}
