// The environment variables of the object storage, a part of variables.ts.
import { httpUrl } from './parse-variable.ts'
import { variable } from './variable.ts'

const storageKey = {
  accepts: 'what the object storage gives: up to 256 printable ASCII characters',
  default: 'none',
  parse: (text: string) => (/^[\x21-\x7e]{1,256}$/.test(text) ? text : undefined),
}

export const objectStorageVariables = {
  OBJECT_STORAGE_URL: variable({
    meaning:
      'Bucket of an object storage with an S3 interface, for large files of sites. OBJECT_STORAGE_ACCESS_KEY and OBJECT_STORAGE_SECRET_KEY go with it.',
    accepts:
      'the http or https address of the bucket (path-style), such as https://s3.example.com/bucket, with a prefix if needed',
    default: 'none: all files are in the database',
    parse: bucketUrl,
  }),
  OBJECT_STORAGE_REGION: variable({
    meaning: 'Region of the bucket, which signatures of requests include.',
    accepts: 'the name of a region',
    default: 'us-east-1',
    parse: (text) => (/^[\w-]{1,64}$/.test(text) ? text : undefined),
  }),
  OBJECT_STORAGE_ACCESS_KEY: variable({
    meaning: 'Access key of the object storage.',
    ...storageKey,
  }),
  OBJECT_STORAGE_SECRET_KEY: variable({
    meaning: 'Secret key of the object storage.',
    ...storageKey,
  }),
  OBJECT_STORAGE_MOVE: variable({
    meaning:
      'Whether large files are moved out of the database, or back into it before the object storage is turned off. With off, nothing is moved or deleted: for a copy of an installation. Set it to the same on all nodes.',
    accepts: 'out, back or off',
    default: 'out',
    parse: (text) => (text === 'out' || text === 'back' || text === 'off' ? text : undefined),
  }),
  OBJECT_STORAGE_TAKE_OVER: variable({
    meaning:
      'Takes the bucket over from another installation that no longer runs. Has no effect afterwards.',
    accepts: 'the id of that installation, from the log or animal-store doctor',
    default: 'none',
    parse: (text) => (/^[0-9a-f]{16}$/.test(text) ? text : undefined),
  }),
}

/** Without a slash at the end. */
function bucketUrl(text: string): URL | undefined {
  const url = httpUrl(text.replace(/\/+$/, ''))
  // Only characters that signatures and servers encode alike.
  return url && /^(\/[\w.-]+)+$/.test(url.pathname) ? url : undefined
}
