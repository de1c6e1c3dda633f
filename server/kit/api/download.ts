// Responses that are files: sent piece by piece as they are created, never held whole in memory. Fields of CSV (RFC 4180).
import type { ServerResponse } from 'node:http'
import type { ApiRequest } from '../http/request/request-head.ts'
import { sendHead, writeInTime } from '../http/response/send-response.ts'

/** What a handler gives for an operation with `download`. */
export interface Download {
  mediaType: string
  /** Letters, digits, dots and hyphens alone. */
  fileName: string
  parts: AsyncGenerator<string | Uint8Array>
}

/** A reader who takes nothing for so long is cut off. */
const drainMs = 30_000

/**
 * Rejects only before anything was sent. A reader for whom it breaks off sees that it is not whole: the
 * connection ends before the response does.
 */
export async function sendDownload(
  request: ApiRequest,
  response: ServerResponse,
  { fileName, mediaType, parts }: Download,
): Promise<void> {
  // The first part may fail, which can still be answered with an error.
  let part = await parts.next()
  sendHead(request, response, 200, [
    ...['Content-Type', mediaType, 'Cache-Control', 'no-store'],
    ...['Content-Disposition', `attachment; filename="${fileName}"`],
  ])
  try {
    if (request.method !== 'HEAD') {
      for (; !part.done && !response.destroyed; part = await parts.next()) {
        await writeInTime(response, part.value, drainMs)
      }
    }
    response.end()
  } catch {
    response.destroy()
  } finally {
    await parts.return(undefined)
  }
}

/** A field as CSV text, quoted where necessary. */
export function writeCsvField(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** The same for text that other people chose: a spreadsheet does not run it as a formula. */
export function writeCsvText(text: string): string {
  return writeCsvField(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text)
}
