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
const names = 'The header has:'
const long = 'x'.repeat(70_000)
const tooLong = (line: number) => `line ${line}: The record is longer than 64 KiB.`
const oneOf = 'status must be one of: available, pending, sold.'
const int64 = 'categoryId must be an integer from -9223372036854775808 to 9223372036854775807'

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
    'has a header in another case',
    'Name,CategoryId\nRex,1\n',
    0,
    `line 1: The columns are missing: name, categoryId. ${names} "Name", "CategoryId".`,
  ],
  [
    'has no header',
    'Rex,1\nMia,2\n',
    0,
    `line 1: The columns are missing: name, categoryId. ${names} "Rex", "1".`,
  ],
  [
    'lacks a column',
    'name,status\nRex,sold\n',
    0,
    `line 1: The column is missing: categoryId. ${names} "name", "status".`,
  ],
  [
    'has a column twice',
    'name,categoryId,name\nRex,1,Mia\n',
    0,
    /^line 1: The column name is there twice/,
  ],
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
    `line 3: ${int64}, not 1.5.`,
    'line 4: categoryId is required.',
    `line 5: ${int64}.`,
    `line 6: ${int64}.`,
    `line 7: ${int64}, not 9223372036854775808.`,
    'line 8: categoryId 1e3 is in scientific notation, in which spreadsheets lose digits. Format the column as text and write all digits.',
  ],
  [
    'has semicolons between its columns',
    'name;categoryId;status\nRex;1;\n',
    0,
    'line 1: The columns are separated by semicolons; separate them by commas (RFC 4180). The header has: "name;categoryId;status".',
  ],
  [
    'begins with the line by which spreadsheets name a tab',
    'sep=\t\nname\tcategoryId\nRex\t1\n',
    0,
    'line 1: The columns are separated by tabs; separate them by commas (RFC 4180). The header has: "sep=\\t".',
  ],
  [
    'counts lines inside of quotation marks',
    'name,categoryId,note\nRex,1,"a\nb\nc"\nMia,x,"d\ne"\nMo,y,\n',
    1,
    `line 5: ${int64}.`,
    `line 7: ${int64}.`,
  ],
  [
    'has a single quotation mark, and valid records after it',
    `${head}5" pipe,1,\nRex,1,\n"Mia"x,1,\n"Mo",1,\n`,
    2,
    /^line 2: A quotation mark stands inside a field/,
    'line 4: Something follows the closing quotation mark of field 1.',
  ],
  [
    'has a quotation mark that is never closed',
    `${head}Rex,1,\n"Mia,1,\nMo,1,\n`,
    1,
    'line 3: A quotation mark is opened and never closed.',
  ],
  [
    'has one that is never closed, and much text after it',
    `${head}"Mia,1,\n${'Mo,1,\n'.repeat(20_000)}`,
    0,
    'line 2: A quotation mark is opened and never closed.',
  ],
  [
    'has bytes that are not UTF-8',
    Buffer.concat([Buffer.from(`${head}R`), Buffer.from([0xe9]), Buffer.from('x,1,\nMo,1,\n')]),
    1,
    'line 2: byte 0xE9 is not UTF-8; encode the input as UTF-8.',
  ],
  [
    'ends inside a character',
    Buffer.concat([Buffer.from(`${head}Mo,1,\nR`), Buffer.from([0xc3])]),
    1,
    /^line 3: byte 0xC3 is not UTF-8/,
  ],
  ['has a NUL', `${head}R\0x,1,\nMo,1,\n`, 1, 'line 2: The record contains a NUL.'],
  [
    'has only carriage returns',
    `${head}Rex\r,1,\nMo,1,\r\n`,
    1,
    /^line 2: A carriage return stands outside of quotation marks/,
  ],
  [
    'is compressed',
    gzipSync(`${head}Rex,1,\n`),
    0,
    'line 1: The input is compressed (gzip); decompress it first.',
  ],
  [
    'is compressed and truncated',
    gzipSync(`${head}Rex,1,\n`).subarray(0, 15),
    0,
    'line 1: The input is compressed (gzip); decompress it first.',
  ],
  ['has a record that is too long', `${head}Rex,1,\n${long},1,\nMo,1,\n`, 2, tooLong(3)],
  [
    'has a record of many lines that is too long',
    `${head}"${'a\n'.repeat(40_000)}",1,\nMo,x,\n`,
    0,
    tooLong(2),
    `line 40003: ${int64}.`,
  ],
  [
    'has many quotation marks that open no field',
    `${head}${'x"'.repeat(400_000)}\nMo,1,\n`,
    1,
    tooLong(2),
  ],
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
    `line 7: ${int64}, not a string.`,
    `line 7: ${oneOf}`,
  ],
  [
    'has a key twice',
    `{"name":"a","name":"b","categoryId":1}\n${rex}\n`,
    1,
    /^line 1: .*the key "name" appears twice/,
  ],
  [
    'has two values on a line',
    `${rex}${rex}\n${rex}\n`,
    1,
    /^line 1: The JSON is malformed at column 30: /,
  ],
  [
    'is one array',
    `[\n${rex}\n]\n`,
    1,
    /^line 1: The JSON is malformed/,
    /^line 3: The JSON is malformed/,
  ],
  [
    'is deep',
    `{"name":${'['.repeat(2000)}${']'.repeat(2000)}}\n${rex}\n`,
    1,
    /^line 1: .*deeper than 32 levels/,
  ],
  [
    'has NULs, lone surrogates and bytes that are not UTF-8',
    Buffer.concat([
      Buffer.from(
        '{"name":"\\u0000","categoryId":1}\n{"name":"\\ud800","categoryId":1}\n{"name":"',
      ),
      Buffer.from([0xff]),
      Buffer.from(`","categoryId":1}\n\0\n${rex}\n`),
    ]),
    1,
    /^line 1: /,
    /^line 2: .*surrogate/,
    /^line 3: .*0xFF is not UTF-8/,
    /^line 4: /,
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
    `line 4: ${int64}, not a string.`,
  ],
  [
    'has a comma at its end',
    `[${rex},\n${rex},\n]`,
    2,
    'line 3: A comma stands before the end of the array; remove the comma.',
  ],
  [
    'has a comma too many',
    `[${rex},,${rex}]`,
    1,
    'line 1: A value is missing before a comma of the array.',
  ],
  [
    'has a comma at the end of a record',
    `[${rex},\n{"name":"Rex",\n"categoryId":1,},\n${rex}]`,
    2,
    /^line 2: The JSON is malformed in line 3: a comma stands before the end/,
  ],
  ['lacks a comma', `[${rex}\n${rex},\n${rex}]`, 1, /^line 1: The JSON is malformed in line 2: /],
  [
    'is truncated in a record',
    `[${rex},\n{"name":"Re`,
    1,
    'line 2: A string is never closed: the input ends in the record that begins here.',
  ],
  [
    'is truncated in an object',
    `[${rex},\n{"name":"Re"`,
    1,
    'line 2: An object or array is never closed: the input ends in the record that begins here.',
  ],
  [
    'is truncated between records',
    `[${rex},\n`,
    1,
    'line 2: The input ends before the end of the array.',
  ],
  [
    'continues after its end',
    `[${rex}]\n[${rex}]`,
    1,
    'line 2: Something follows the end of the array.',
  ],
  [
    'has brackets that do not match',
    `[{"name":"Rex"],\n${rex}]`,
    1,
    /^line 1: The JSON is malformed/,
  ],
  [
    'has a closing brace without an opening one',
    `[${rex},\n}]`,
    1,
    'line 2: A closing brace has no opening one.',
  ],
  [
    'is deep',
    `[{"name":${'['.repeat(5000)}${']'.repeat(5000)}},${rex}]`,
    1,
    /^line 1: .*deeper than 32 levels/,
  ],
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
