// The environment variables of the object storage, a part of variables.ts.
import { httpUrl, urlWithLogin } from './parse-variable.ts'
import { variable } from './variable.ts'

export const objectStorageVariables = {
  OBJECT_STORAGE_URL: variable({
    meaning:
      'Bucket of an object storage with an S3 interface, for large files of sites, with its access key and secret key.',
    accepts:
      'the http or https address of the bucket (path-style), such as https://ACCESS:SECRET@s3.example.com/bucket, percent-encoded, with a prefix if needed; then ?region= if it is not us-east-1, and take_over= with the id of another installation that no longer runs, from the log or animal-store doctor, to take the bucket over from it',
    default: 'none: all files are in the database',
    parse: bucketOf,
  }),
  OBJECT_STORAGE_MOVE: variable({
    meaning:
      'Whether large files are moved out of the database, or back into it before the object storage is turned off. With off, nothing is moved or deleted: for a copy of an installation. Set it to the same on all nodes.',
    accepts: 'out, back or off',
    default: 'out',
    parse: (text) => (text === 'out' || text === 'back' || text === 'off' ? text : undefined),
  }),
}

function bucketOf(text: string) {
  const read = urlWithLogin(text, ['region', 'take_over'])
  // Only characters that signatures and servers encode alike.
  const url = read && httpUrl(read.address.href.replace(/\/+$/, ''))
  if (!url || !/^(\/[\w.-]+)+$/.test(url.pathname)) return undefined
  const { region = 'us-east-1', take_over: takeOver } = read.query
  const isId = takeOver === undefined || /^[0-9a-f]{16}$/.test(takeOver)
  if (!isId || !/^[\w-]{1,64}$/.test(region)) return undefined
  /** `url`: path-style, without a slash at the end. `takeOver`: the installation that owned the bucket before this one. */
  return { url, region, accessKey: read.user, secretKey: read.password, takeOver }
}
