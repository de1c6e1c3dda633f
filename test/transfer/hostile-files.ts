// Files that are invalid, or only look invalid, and their expected problems.
import { gzipSync } from 'node:zlib'
import type { Form } from '#store/transfer/forms.ts'

export interface HostileFile {
  name: string
  form: Form
  content: string | Buffer
  /** `line N: message` of each problem; a pattern if part of the text comes from the JSON parser. */
  problems: (string | RegExp)[]
  /** The number of valid records. */
  good: number
}

const head = 'name,categoryId,status\n'
const long = 'x'.repeat(70_000)
const tooLong = (line: number) => `line ${line}: The record is longer than 64 KiB.`
const oneOf = 'status must be one of: available, pending, sold.'
const int64 = 'categoryId must be an integer from -9223372036854775808 to 9223372036854775807'
const notInt64 = (line: number, more = '') => `line ${line}: ${int64}${more}.`
const lacks = (columns: string, header: string) =>
  `line 1: The column${columns.includes(',') ? 's are' : ' is'} missing: ${columns}. The header has: ${header}.`
const separated = (by: string, header: string) =>
  `line 1: The columns are separated by ${by}; separate them by commas (RFC 4180). The header has: ${header}.`
const unclosedMark = (line: number) => `line ${line}: A quotation mark is opened and never closed.`
const unclosed = (what: string) =>
  `line 2: ${what} is never closed: the input ends in the record that begins here.`
const compressed = 'line 1: The input is compressed (gzip); decompress it first.'
const malformed = (line: number, more = '') =>
  new RegExp(`^line ${line}: The JSON is malformed${more}`)
const tooDeep = /^line 1: .*deeper than 32 levels/

/** Text, and bytes that are not text. */
const bytes = (...parts: (string | number)[]) =>
  Buffer.concat(parts.map((part) => Buffer.from(typeof part === 'string' ? part : [part])))

type Row = [
  name: string,
  content: string | Buffer,
  good: number,
  ...problems: HostileFile['problems'],
]

const csv: Row[] = [
  ['is empty', '', 0, /^line 1: The input is empty/],
  ['has a header only', head, 0],
  ['has a header without a line break', 'name,categoryId', 0],
  [
    'has its header in another case',
    'Name,CategoryId\nRex,1\n',
    0,
    lacks('name, categoryId', '"Name", "CategoryId"'),
  ],
  ['has no header', 'Rex,1\nMia,2\n', 0, lacks('name, categoryId', '"Rex", "1"')],
  ['lacks a column', 'name,status\nRex,sold\n', 0, lacks('categoryId', '"name", "status"')],
  ['has a column twice', 'name,categoryId,name\n', 0, /^line 1: The column name is there twice/],
  ['has a byte-order mark', `\uFEFF${head}Rex,1,\n`, 1],
  ['has a byte-order mark before a quoted header', '\uFEFF"name","categoryId"\nRex,1\n', 1],
  [
    'has columns in another order, further columns, and CRLF',
    'status,colour,categoryId,id,name\r\nsold,"a\r\nb",7,99,Rex\r\n,,8,,"M""ia"',
    2,
  ],
  [
    'has records of another length',
    `${head}Rex,1\nMia,1,sold,x\n\nMo,1,sold\n \r\n`,
    1,
    'line 2: The record has 2 fields; the header has 3.',
    'line 3: The record has 4 fields; the header has 3.',
  ],
  [
    'has invalid values',
    `${head},1,gone\nRex,1.5,\nRex,,\nRex,07,\nRex, 7,\nRex,9223372036854775808,\nRex,1e3,SOLD\n`,
    0,
    'line 2: name must have 1 to 255 characters; it has 0.',
    `line 2: ${oneOf}`,
    notInt64(3, ', not 1.5'),
    'line 4: categoryId is required.',
    ...[notInt64(5), notInt64(6), notInt64(7, ', not 9223372036854775808')],
    'line 8: categoryId 1e3 is in scientific notation, in which spreadsheets lose digits. Format the column as text and write all digits.',
  ],
  ['has semicolons', 'name;categoryId\nRex;1\n', 0, separated('semicolons', '"name;categoryId"')],
  // As spreadsheets name the separator.
  ['begins with sep=', 'sep=\t\nname\tcategoryId\nRex\t1\n', 0, separated('tabs', '"sep=\\t"')],
  [
    'counts lines inside of quotation marks',
    'name,categoryId,note\nRex,1,"a\nb\nc"\nMia,x,"d\ne"\nMo,y,\n',
    1,
    ...[notInt64(5), notInt64(7)],
  ],
  [
    'has a single quotation mark, and valid records after it',
    `${head}5" pipe,1,\nRex,1,\n"Mia"x,1,\n"Mo",1,\n`,
    2,
    /^line 2: A quotation mark stands inside a field/,
    'line 4: Something follows the closing quotation mark of field 1.',
  ],
  ['has an unclosed quotation mark', `${head}Rex,1,\n"Mia,1,\nMo,1,\n`, 1, unclosedMark(3)],
  ['has one and much text', `${head}"Mia,1,\n${'Mo,1,\n'.repeat(20_000)}`, 0, unclosedMark(2)],
  [
    'has bytes that are not UTF-8',
    bytes(`${head}R`, 0xe9, 'x,1,\nMo,1,\n'),
    1,
    'line 2: byte 0xE9 is not UTF-8; encode the input as UTF-8.',
  ],
  ['ends in a character', bytes(`${head}Mo,1,\nR`, 0xc3), 1, /^line 3: byte 0xC3 is not UTF-8/],
  ['has a NUL', `${head}R\0x,1,\nMo,1,\n`, 1, 'line 2: The record contains a NUL.'],
  [
    'has only carriage returns',
    `${head}Rex\r,1,\nMo,1,\r\n`,
    1,
    /^line 2: A carriage return stands outside of quotation marks/,
  ],
  ['is compressed', gzipSync(`${head}Rex,1,\n`), 0, compressed],
  ['is compressed and truncated', gzipSync(`${head}Rex,1,\n`).subarray(0, 15), 0, compressed],
  ['has a record that is too long', `${head}Rex,1,\n${long},1,\nMo,1,\n`, 2, tooLong(3)],
  [
    'has one of many lines',
    `${head}"${'a\n'.repeat(4e4)}",1,\nMo,x,\n`,
    0,
    tooLong(2),
    notInt64(40_003),
  ],
  ['has many quotation marks', `${head}${'x"'.repeat(400_000)}\nMo,1,\n`, 1, tooLong(2)],
]

const rex = '{"name":"Rex","categoryId":1}'
const ndjson: Row[] = [
  ['is empty', '', 0],
  ['has blank lines', `\n${rex}\r\n \t\n${rex}`, 2],
  ['has a byte-order mark', `\uFEFF${rex}\n`, 1],
  [
    'has lines that are not animals',
    `1\n"Rex"\n[${rex}]\nnull\n${rex}\n{}\n{"name":1,"categoryId":"1","status":null}\n`,
    1,
    'line 1: The record must be an object, not a number.',
    'line 2: The record must be an object, not a string.',
    'line 3: The record must be an object, not an array.',
    'line 4: The record must be an object, not null.',
    'line 6: name is required.',
    'line 6: categoryId is required.',
    'line 7: name must be a string, not a number.',
    ...[notInt64(7, ', not a string'), `line 7: ${oneOf}`],
  ],
  [
    'has a key twice',
    `{"name":"a","name":"b","categoryId":1}\n${rex}\n`,
    1,
    /^line 1: .*the key "name" appears twice/,
  ],
  ['has two values on a line', `${rex}${rex}\n${rex}\n`, 1, malformed(1, ' at column 30: ')],
  ['is one array', `[\n${rex}\n]\n`, 1, malformed(1), malformed(3)],
  ['is deep', `{"name":${'['.repeat(2000)}${']'.repeat(2000)}}\n${rex}\n`, 1, tooDeep],
  [
    'has NULs, lone surrogates and bytes that are not UTF-8',
    bytes(
      '{"name":"\\u0000","categoryId":1}\n{"name":"\\ud800","categoryId":1}\n{"name":"',
      0xff,
      `","categoryId":1}\n\0\n${rex}\n`,
    ),
    1,
    ...[/^line 1: /, /^line 2: .*surrogate/, /^line 3: .*0xFF is not UTF-8/, /^line 4: /],
  ],
  ['has a record that is too long', `${rex}\n{"name":"${long}"}\n${rex}\n`, 2, tooLong(2)],
]

const json: Row[] = [
  ['is empty', '', 0, /^line 1: The input is empty/],
  ['has white space only', ' \n\n', 0, /^line 1: The input is empty/],
  ['is an empty array', ' [ \n ] \n', 0],
  ['is an object', rex, 0, /^line 1: This form is one JSON array/],
  ['has a byte-order mark', `\uFEFF[${rex}]`, 1],
  [
    'has records over several lines, with what looks like their end in strings',
    '[\n {"name": "],[\\"}{",\n  "categoryId": 1, "x": {"y": [1, {"z": "]"}]}},\n' +
      ' {"name": "\\\\",\n  "categoryId": "1"}]',
    1,
    notInt64(4, ', not a string'),
  ],
  [
    'has a comma at its end',
    `[${rex},\n${rex},\n]`,
    2,
    'line 3: A comma stands before the end of the array; remove the comma.',
  ],
  ['has ,,', `[${rex},,${rex}]`, 1, 'line 1: A value is missing before a comma of the array.'],
  [
    'has a comma at the end of a record',
    `[${rex},\n{"name":"Rex",\n"categoryId":1,},\n${rex}]`,
    2,
    malformed(2, ' in line 3: a comma stands before the end'),
  ],
  ['lacks a comma', `[${rex}\n${rex},\n${rex}]`, 1, malformed(1, ' in line 2: ')],
  ['is truncated in a string', `[${rex},\n{"name":"Re`, 1, unclosed('A string')],
  ['is truncated in an object', `[${rex},\n{"name":"Re"`, 1, unclosed('An object or array')],
  ['is truncated', `[${rex},\n`, 1, 'line 2: The input ends before the end of the array.'],
  ['goes on', `[${rex}]\n[${rex}]`, 1, 'line 2: Something follows the end of the array.'],
  ['has brackets that do not match', `[{"name":"Rex"],\n${rex}]`, 1, malformed(1)],
  ['closes one too many', `[${rex},\n}]`, 1, 'line 2: A closing brace has no opening one.'],
  ['is deep', `[{"name":${'['.repeat(5000)}${']'.repeat(5000)}},${rex}]`, 1, tooDeep],
  ['is very deep', '['.repeat(200_000), 0, /^line 1: An object or array is never closed/],
  ['has a record that is too long', `[${rex},\n{"name":"${long}"},\n${rex}]`, 2, tooLong(2)],
]

const of = (form: Form, files: Row[]): HostileFile[] =>
  files.map(([name, content, good, ...problems]) => ({ name, form, content, good, problems }))

export const hostileFiles: HostileFile[] = [
  ...of('csv', csv),
  ...of('ndjson', ndjson),
  ...of('json', json),
]
