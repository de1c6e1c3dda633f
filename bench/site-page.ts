// A page of a site that is about so large.

/** All of its bytes are ASCII. */
export function pageOf(bytes: number): string {
  const start = '<!doctype html>\n<html lang="en">\n<title>Guide</title>\n'
  const paragraph =
    '<p>Animals are listed, created and retrieved by the programs of partners.</p>\n'
  return start + paragraph.repeat(Math.round((bytes - start.length) / paragraph.length))
}
