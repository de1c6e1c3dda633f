// Files that are invalid, or only look invalid, and their expected problems, on the command line and over HTTP.
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
const oneOf = 'status must be one of: available, pending, sold.'
const int64 = 'categoryId must be an integer from -9223372036854775808 to 9223372036854775807'

const csv: Omit<HostileFile, 'form'>[] = [
  { name: 'is empty', content: '', good: 0, problems: [/^line 1: The input is empty/] },
  { name: 'has a header only', content: head, good: 0, problems: [] },
  { name: 'has a header without a line break', content: 'name,categoryId', good: 0, problems: [] },
  {
    name: 'has a header in another case',
    content: 'Name,CategoryId\nRex,1\n',
    good: 0,
    problems: [`line 1: The columns are missing: name, categoryId. ${names} "Name", "CategoryId".`],
  },
  {
    name: 'has no header',
    content: 'Rex,1\nMia,2\n',
    good: 0,
    problems: [`line 1: The columns are missing: name, categoryId. ${names} "Rex", "1".`],
  },
  {
    name: 'lacks a column',
    content: 'name,status\nRex,sold\n',
    good: 0,
    problems: [`line 1: The column is missing: categoryId. ${names} "name", "status".`],
  },
  {
    name: 'has a column twice',
    content: 'name,categoryId,name\nRex,1,Mia\n',
    good: 0,
    problems: [/^line 1: The column name is there twice/],
  },
  { name: 'has a byte-order mark', content: `\uFEFF${head}Rex,1,\n`, good: 1, problems: [] },
  {
    name: 'has a byte-order mark before a quoted header',
    content: '\uFEFF"name","categoryId"\nRex,1\n',
    good: 1,
    problems: [],
  },
  {
    name: 'has columns in another order, further columns, and CRLF',
    content: 'status,colour,categoryId,id,name\r\nsold,"a\r\nb",7,99,Rex\r\n,,8,,"M""ia"',
    good: 2,
    problems: [],
  },
  {
    name: 'has records of another length',
    content: `${head}Rex,1\nMia,1,sold,x\n\nMo,1,sold\n \r\n`,
    good: 1,
    problems: [
      'line 2: The record has 2 fields; the header has 3.',
      'line 3: The record has 4 fields; the header has 3.',
    ],
  },
  {
    name: 'has invalid values',
    content: `${head},1,gone\nRex,1.5,\nRex,,\nRex,07,\nRex, 7,\nRex,9223372036854775808,\nRex,1e3,SOLD\n`,
    good: 0,
    problems: [
      'line 2: name must have 1 to 255 characters; it has 0.',
      `line 2: ${oneOf}`,
      `line 3: ${int64}, not 1.5.`,
      'line 4: categoryId is required.',
      `line 5: ${int64}.`,
      `line 6: ${int64}.`,
      `line 7: ${int64}, not 9223372036854775808.`,
      'line 8: categoryId 1e3 is in scientific notation, in which spreadsheets lose digits. Format the column as text and write all digits.',
    ],
  },
  {
    name: 'has semicolons between its columns',
    content: 'name;categoryId;status\nRex;1;\n',
    good: 0,
    problems: [
      'line 1: The columns are separated by semicolons; separate them by commas (RFC 4180). The header has: "name;categoryId;status".',
    ],
  },
  {
    name: 'begins with the line by which spreadsheets name a tab',
    content: 'sep=\t\nname\tcategoryId\nRex\t1\n',
    good: 0,
    problems: [
      'line 1: The columns are separated by tabs; separate them by commas (RFC 4180). The header has: "sep=\\t".',
    ],
  },
  {
    name: 'counts lines inside of quotation marks',
    content: 'name,categoryId,note\nRex,1,"a\nb\nc"\nMia,x,"d\ne"\nMo,y,\n',
    good: 1,
    problems: [`line 5: ${int64}.`, `line 7: ${int64}.`],
  },
  {
    name: 'has a single quotation mark, and valid records after it',
    content: `${head}5" pipe,1,\nRex,1,\n"Mia"x,1,\n"Mo",1,\n`,
    good: 2,
    problems: [
      /^line 2: A quotation mark stands inside a field/,
      'line 4: Something follows the closing quotation mark of field 1.',
    ],
  },
  {
    name: 'has a quotation mark that is never closed',
    content: `${head}Rex,1,\n"Mia,1,\nMo,1,\n`,
    good: 1,
    problems: ['line 3: A quotation mark is opened and never closed.'],
  },
  {
    name: 'has one that is never closed, and much text after it',
    content: `${head}"Mia,1,\n${'Mo,1,\n'.repeat(20_000)}`,
    good: 0,
    problems: ['line 2: A quotation mark is opened and never closed.'],
  },
  {
    name: 'has bytes that are not UTF-8',
    content: Buffer.concat([
      Buffer.from(`${head}R`),
      Buffer.from([0xe9]),
      Buffer.from('x,1,\nMo,1,\n'),
    ]),
    good: 1,
    problems: ['line 2: byte 0xE9 is not UTF-8; encode the input as UTF-8.'],
  },
  {
    name: 'ends inside a character',
    content: Buffer.concat([Buffer.from(`${head}Mo,1,\nR`), Buffer.from([0xc3])]),
    good: 1,
    problems: [/^line 3: byte 0xC3 is not UTF-8/],
  },
  {
    name: 'has a NUL',
    content: `${head}R\0x,1,\nMo,1,\n`,
    good: 1,
    problems: ['line 2: The record contains a NUL.'],
  },
  {
    name: 'has only carriage returns',
    content: `${head}Rex\r,1,\nMo,1,\r\n`,
    good: 1,
    problems: [/^line 2: A carriage return stands outside of quotation marks/],
  },
  {
    name: 'is compressed',
    content: gzipSync(`${head}Rex,1,\n`),
    good: 0,
    problems: ['line 1: The input is compressed (gzip); decompress it first.'],
  },
  {
    name: 'is compressed and truncated',
    content: gzipSync(`${head}Rex,1,\n`).subarray(0, 15),
    good: 0,
    problems: ['line 1: The input is compressed (gzip); decompress it first.'],
  },
  {
    name: 'has a record that is too long',
    content: `${head}Rex,1,\n${long},1,\nMo,1,\n`,
    good: 2,
    problems: ['line 3: The record is longer than 64 KiB.'],
  },
  {
    name: 'has a record of many lines that is too long',
    content: `${head}"${'a\n'.repeat(40_000)}",1,\nMo,x,\n`,
    good: 0,
    problems: ['line 2: The record is longer than 64 KiB.', `line 40003: ${int64}.`],
  },
  {
    name: 'has many quotation marks that open no field',
    content: `${head}${'x"'.repeat(400_000)}\nMo,1,\n`,
    good: 1,
    problems: ['line 2: The record is longer than 64 KiB.'],
  },
]

const rex = '{"name":"Rex","categoryId":1}'
const ndjson: Omit<HostileFile, 'form'>[] = [
  { name: 'is empty', content: '', good: 0, problems: [] },
  { name: 'has blank lines', content: `\n${rex}\r\n \t\n${rex}`, good: 2, problems: [] },
  {
    name: 'has a byte-order mark',
    content: `\uFEFF${rex}\n`,
    good: 1,
    problems: [],
  },
  {
    name: 'has lines that are not animals',
    content: `1\n"Rex"\n[${rex}]\nnull\n${rex}\n{}\n{"name":1,"categoryId":"1","status":null}\n`,
    good: 1,
    problems: [
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
  },
  {
    name: 'has a key twice',
    content: `{"name":"a","name":"b","categoryId":1}\n${rex}\n`,
    good: 1,
    problems: [/^line 1: .*the key "name" appears twice/],
  },
  {
    name: 'has two values on a line',
    content: `${rex}${rex}\n${rex}\n`,
    good: 1,
    problems: [/^line 1: The JSON is malformed at column 30: /],
  },
  {
    name: 'is one array',
    content: `[\n${rex}\n]\n`,
    good: 1,
    problems: [/^line 1: The JSON is malformed/, /^line 3: The JSON is malformed/],
  },
  {
    name: 'is deep',
    content: `{"name":${'['.repeat(2000)}${']'.repeat(2000)}}\n${rex}\n`,
    good: 1,
    problems: [/^line 1: .*deeper than 32 levels/],
  },
  {
    name: 'has NULs, lone surrogates and bytes that are not UTF-8',
    content: Buffer.concat([
      Buffer.from(
        '{"name":"\\u0000","categoryId":1}\n{"name":"\\ud800","categoryId":1}\n{"name":"',
      ),
      Buffer.from([0xff]),
      Buffer.from(`","categoryId":1}\n\0\n${rex}\n`),
    ]),
    good: 1,
    problems: [/^line 1: /, /^line 2: .*surrogate/, /^line 3: .*0xFF is not UTF-8/, /^line 4: /],
  },
  {
    name: 'has a record that is too long',
    content: `${rex}\n{"name":"${long}"}\n${rex}\n`,
    good: 2,
    problems: ['line 2: The record is longer than 64 KiB.'],
  },
]

const json: Omit<HostileFile, 'form'>[] = [
  { name: 'is empty', content: '', good: 0, problems: [/^line 1: The input is empty/] },
  {
    name: 'has white space only',
    content: ' \n\n',
    good: 0,
    problems: [/^line 1: The input is empty/],
  },
  { name: 'is an empty array', content: ' [ \n ] \n', good: 0, problems: [] },
  {
    name: 'is an object',
    content: rex,
    good: 0,
    problems: [/^line 1: This form is one JSON array/],
  },
  {
    name: 'has a byte-order mark',
    content: `\uFEFF[${rex}]`,
    good: 1,
    problems: [],
  },
  {
    name: 'has records over several lines, with what looks like their end in strings',
    content:
      '[\n {"name": "],[\\"}{",\n  "categoryId": 1, "x": {"y": [1, {"z": "]"}]}},\n' +
      ' {"name": "\\\\",\n  "categoryId": "1"}]',
    good: 1,
    problems: [`line 4: ${int64}, not a string.`],
  },
  {
    name: 'has a comma at its end',
    content: `[${rex},\n${rex},\n]`,
    good: 2,
    problems: ['line 3: A comma stands before the end of the array; remove the comma.'],
  },
  {
    name: 'has a comma too many',
    content: `[${rex},,${rex}]`,
    good: 1,
    problems: ['line 1: A value is missing before a comma of the array.'],
  },
  {
    name: 'has a comma at the end of a record',
    content: `[${rex},\n{"name":"Rex",\n"categoryId":1,},\n${rex}]`,
    good: 2,
    problems: [/^line 2: The JSON is malformed in line 3: a comma stands before the end/],
  },
  {
    name: 'lacks a comma',
    content: `[${rex}\n${rex},\n${rex}]`,
    good: 1,
    problems: [/^line 1: The JSON is malformed in line 2: /],
  },
  {
    name: 'is truncated in a record',
    content: `[${rex},\n{"name":"Re`,
    good: 1,
    problems: ['line 2: A string is never closed: the input ends in the record that begins here.'],
  },
  {
    name: 'is truncated in an object',
    content: `[${rex},\n{"name":"Re"`,
    good: 1,
    problems: [
      'line 2: An object or array is never closed: the input ends in the record that begins here.',
    ],
  },
  {
    name: 'is truncated between records',
    content: `[${rex},\n`,
    good: 1,
    problems: ['line 2: The input ends before the end of the array.'],
  },
  {
    name: 'continues after its end',
    content: `[${rex}]\n[${rex}]`,
    good: 1,
    problems: ['line 2: Something follows the end of the array.'],
  },
  {
    name: 'has brackets that do not match',
    content: `[{"name":"Rex"],\n${rex}]`,
    good: 1,
    problems: [/^line 1: The JSON is malformed/],
  },
  {
    name: 'has a closing brace without an opening one',
    content: `[${rex},\n}]`,
    good: 1,
    problems: ['line 2: A closing brace has no opening one.'],
  },
  {
    name: 'is deep',
    content: `[{"name":${'['.repeat(5000)}${']'.repeat(5000)}},${rex}]`,
    good: 1,
    problems: [/^line 1: .*deeper than 32 levels/],
  },
  {
    name: 'is very deep',
    content: '['.repeat(200_000),
    good: 0,
    problems: [/^line 1: An object or array is never closed/],
  },
  {
    name: 'has a record that is too long',
    content: `[${rex},\n{"name":"${long}"},\n${rex}]`,
    good: 2,
    problems: ['line 2: The record is longer than 64 KiB.'],
  },
]

const of = (form: Form, files: Omit<HostileFile, 'form'>[]): HostileFile[] =>
  files.map((file) => ({ ...file, form }))

export const hostileFiles: HostileFile[] = [
  ...of('csv', csv),
  ...of('ndjson', ndjson),
  ...of('json', json),
]
