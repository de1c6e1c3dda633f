// Walks through a tar archive: each entry with the name and the size that hold in the end, after pax and
// GNU headers had their say. We read it ourselves: tar-stream 3.2 loses its place after an empty pax
// header, waits for ever at a folder with a size, and does not see that an archive was cut between files.

import { DeployFailure } from '../site-files/deploy-failure.ts'
import { parsePaxRecords } from './pax-records.ts'
import type { PulledBytes } from './pull-bytes.ts'
import { blockBytes, isZeroBlock, parseTarHeader, type TarHeader } from './tar-header.ts'

/** Larger than any header that a program writes about a file, extended attributes included. */
const maxExtensionBytes = 1024 * 1024
const maxExtensionsInARow = 8

/** What the headers before an entry say about it. */
interface Extensions {
  count: number
  longName?: string
  pax?: Map<string, string>
}

/**
 * Each entry is given before its content: whoever takes it must take or skip exactly `paddedBytes(size)`
 * from `source` before asking for the next. Throws a DeployFailure for an archive that is no tar, damaged,
 * or goes on after its end.
 */
export async function* tarEntries(source: PulledBytes): AsyncGenerator<TarHeader> {
  let extensions: Extensions = { count: 0 }
  for (;;) {
    const block = await source.take(blockBytes)
    if (block.length < blockBytes) throw cutOff()
    if (isZeroBlock(block)) {
      if (extensions.count > 0) throw cutOff()
      return await refuseMore(source)
    }
    const header = parseTarHeader(block)
    if ('refused' in header) throw new DeployFailure(header.refused)
    if ('xgLK'.includes(header.type)) {
      extensions = await extended(extensions, header, source)
      continue
    }
    yield withExtensions(header, extensions)
    extensions = { count: 0 }
  }
}

/** Content is followed by what fills its last block. */
export function paddedBytes(size: number): number {
  return Math.ceil(size / blockBytes) * blockBytes
}

export function cutOff(): DeployFailure {
  return new DeployFailure('The archive is cut off: it ends before its end mark.')
}

async function extended(
  before: Extensions,
  header: TarHeader,
  source: PulledBytes,
): Promise<Extensions> {
  const count = before.count + 1
  if (header.size > maxExtensionBytes) {
    throw new DeployFailure('The archive has a header of more than 1 MB about one file.')
  }
  if (count > maxExtensionsInARow) {
    throw new DeployFailure('The archive has too many headers about one file.')
  }
  const padded = await source.take(paddedBytes(header.size))
  if (padded.length < header.size) throw cutOff()
  const content = padded.subarray(0, header.size)
  if (header.type === 'L') return { ...before, count, longName: longName(content) }
  // The name of what a link leads to: links are refused anyway.
  if (header.type === 'K') return { ...before, count }
  const records = parsePaxRecords(content)
  if (records === undefined) {
    throw new DeployFailure('The archive is damaged: a pax header cannot be read.')
  }
  if (header.type === 'x') return { ...before, count, pax: records }
  // Such as git's, which says the commit. What it said of names and sizes would be said of all files.
  if (['path', 'size'].some((key) => records.has(key)) || isSparse(records)) {
    throw new DeployFailure(
      'The archive has a global header that gives all files one name or size.',
    )
  }
  return { ...before, count }
}

function withExtensions(header: TarHeader, { longName, pax }: Extensions): TarHeader {
  const name = pax?.get('path') ?? longName ?? header.name
  if (pax === undefined) return { ...header, name }
  if (isSparse(pax)) return { ...header, name, type: 'S' }
  const size = pax.get('size') ?? String(header.size)
  if (!/^[0-9]{1,15}$/.test(size)) {
    throw new DeployFailure('The archive is damaged: the size of a file is no number.')
  }
  return { ...header, name, size: Number(size) }
}

/** GNU keeps files with holes as a map and what is between the holes. */
function isSparse(pax: Map<string, string>): boolean {
  return pax.keys().some((key) => key.startsWith('GNU.sparse.'))
}

/** A name that ends at a NUL, which other programs would read on behind, keeps it, and is refused for it. */
function longName(content: Uint8Array): string {
  return Buffer.from(content).toString('utf8').replace(/\0+$/, '')
}

/** The end mark is two blocks of zeros; programs fill up with more. */
async function refuseMore(source: PulledBytes): Promise<void> {
  for (let isFirst = true; ; isFirst = false) {
    const block = await source.take(blockBytes)
    if (isFirst && block.length < blockBytes) throw cutOff()
    if (block.length === 0) return
    if (!isZeroBlock(block)) {
      throw new DeployFailure('The archive is damaged: there is something behind its end mark.')
    }
  }
}
